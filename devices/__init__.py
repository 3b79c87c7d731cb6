"""Phones: what they show, what can be done to them, how they fail. Knows nothing of models, tasks or rollouts."""
