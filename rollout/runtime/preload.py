"""Imported once by the fork server: a worker starts in milliseconds and shares these pages with its siblings."""

import rollout.actions.assertion
import rollout.actions.dialects.gelab
import rollout.llm.client
import rollout.rewards
import rollout.runtime.attempt
import rollout.runtime.child
import rollout.runtime.roles.logger
import rollout.runtime.roles.reader
import rollout.runtime.roles.worker
import rollout.runtime.roles.writer  # noqa: F401
