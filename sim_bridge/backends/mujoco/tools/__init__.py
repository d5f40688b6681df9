"""What is run by hand or at set-up: the asset pack is built, models are looked at, measured and named. No session needs it."""
