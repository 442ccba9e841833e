"""Settings in YAML: a word is a word, and a name is given once.

YAML 1.1 reads `off`, `no` and `on` as truth values, so that `dense: off` would say False; YAML 1.2 knows only `true`
and `false`. Of a name that is given twice it keeps the last value, and whoever wrote the first is not told.
"""

from __future__ import annotations

import re
from typing import Any

import yaml

_BOOL = "tag:yaml.org,2002:bool"


class _Loader(yaml.SafeLoader):
    def construct_mapping(self, node: yaml.MappingNode, deep: bool = False) -> dict[Any, Any]:
        seen: set[str] = set()
        for key, _ in node.value:
            if isinstance(key, yaml.ScalarNode):
                if key.value in seen:
                    raise yaml.constructor.ConstructorError(
                        None, None, f"{key.value!r} is given twice; keep one of them", key.start_mark
                    )
                seen.add(key.value)
        return super().construct_mapping(node, deep)


_Loader.yaml_implicit_resolvers = {
    letter: [(tag, pattern) for tag, pattern in resolvers if tag != _BOOL]
    for letter, resolvers in yaml.SafeLoader.yaml_implicit_resolvers.items()
}
_Loader.add_implicit_resolver(_BOOL, re.compile(r"(?:true|True|TRUE|false|False|FALSE)\Z"), list("tTfF"))


def read(text: str) -> Any:
    """What the text says; `yaml.YAMLError` if it is no YAML or names something twice."""
    loader = _Loader(text)
    loader.name = "the file"
    try:
        return loader.get_single_data()
    finally:
        loader.dispose()
