# The compiled module offers arrays in, arrays out. Its functions are described where they are defined, in bind_*.cpp.
from typing import Any

def __getattr__(name: str) -> Any: ...
