"""Placeholder."""
def cookie(request): return request.cookies.get("vantage","x")
def limit_key(cookie): return cookie or ""
def check_player(services, cookie, episode): return None
