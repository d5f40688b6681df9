"""Rooms and houses: what they look like, how they are furnished and lit, what lies about in them. Without MuJoCo."""
