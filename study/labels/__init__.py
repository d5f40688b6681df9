"""What coders say of trajectories: strategies, views and failure modes. Of people and of models alike, and blind to which of both it is."""
