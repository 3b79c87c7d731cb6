"""Whether a configuration can be run: what only shows when file and flags are put together."""

from __future__ import annotations

from collections.abc import Iterator

from rollout.config.explain import did_you_mean
from rollout.config.schema import RunConfig
from rollout.errors import ConfigError, Problem

SCRIPTED = "scripted"
"""The provider that `scripted_model.enabled` brings with it."""


def check_runnable(config: RunConfig) -> None:
    """Raises ConfigError with everything that is missing or does not fit together."""
    problems = [*_provider(config), *_model(config), *_reply(config), *_phones(config), *_tasks(config), *_cost(config)]
    if problems:
        raise ConfigError(problems)


def provider_names(config: RunConfig) -> list[str]:
    """Providers an agent may name, the scripted one included when it is enabled."""
    scripted = [SCRIPTED] if config.scripted_model.enabled else []
    return sorted({*config.providers, *scripted})


def chosen_provider(config: RunConfig) -> str | None:
    """The agent's provider: the one named, or the only one there is."""
    known = provider_names(config)
    return config.agent.provider or (known[0] if len(known) == 1 else None)


def _provider(config: RunConfig) -> Iterator[Problem]:
    known, named = provider_names(config), config.agent.provider
    if not known:
        example = 'providers: {local: {api_base: "http://localhost:8000/v1"}}'
        yield Problem("providers", "no model server is configured", f"like {example}")
    elif named is None and len(known) > 1:
        yield Problem("agent.provider", "several providers, none chosen", f"--provider, one of {', '.join(known)}")
    elif named is not None and named not in known:
        yield Problem("agent.provider", f"there is no provider {named!r}", did_you_mean(named, known))


def _model(config: RunConfig) -> Iterator[Problem]:
    if not config.agent.model:
        yield Problem("agent.model", "no model is named", "--model NAME, or `agent: {model: NAME}`")


def _reply(config: RunConfig) -> Iterator[Problem]:
    reply, known = config.agent.reply, provider_names(config)
    if reply.mode == "auto_reply" and reply.provider is not None and reply.provider not in known:
        hint = did_you_mean(reply.provider, known)
        yield Problem("agent.reply.provider", f"there is no provider {reply.provider!r}", hint)


def _phones(config: RunConfig) -> Iterator[Problem]:
    devices = config.devices
    if devices.adb is None and devices.simulated.count == 0:
        hint = "`devices: {adb: {}}` for every phone adb sees, `devices: {simulated: {count: 4}}` for simulated ones"
        yield Problem("devices", "no phones are configured", hint)
    elif devices.adb is not None and devices.simulated.count:
        hint = "drop `devices.adb`, or start the fleet by hand (`python -m devices.simulated`) and list it there"
        yield Problem("devices", "real and simulated phones are configured at once", hint)
    elif devices.adb is not None and devices.adb.serials == []:
        yield Problem("devices.adb.serials", "is an empty list", "name phones, or `all`")


def _tasks(config: RunConfig) -> Iterator[Problem]:
    path = config.tasks.path
    if path is None:
        yield Problem("tasks.path", "no task file is named", "--tasks FILE, or `tasks: {path: FILE}`")
    elif not path.exists():
        yield Problem("tasks.path", f"{path} does not exist", "relative paths resolve against the configuration file")


def _cost(config: RunConfig) -> Iterator[Problem]:
    """A limit that nothing counts against would never end anything."""
    limited = [name for name in ("rollout", "run") if getattr(config.limits, name).cost_usd is not None]
    used = (chosen_provider(config), config.agent.reply.provider)
    for name in sorted({name for name in used if name is not None and name in config.providers}):
        if limited and config.providers[name].price_per_million is None:
            yield Problem(
                f"limits.{limited[0]}.cost_usd",
                f"the price of provider {name!r} is unknown, so the limit would never be met",
                f"`providers: {{{name}: {{price_per_million: {{prompt: …, completion: …}}}}}}`, 0 for a free one",
            )
