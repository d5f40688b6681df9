"""The bundled benchmark: one JSON document per task, made by ``vantage tasks generate`` and checked by ``vantage tasks check``."""
