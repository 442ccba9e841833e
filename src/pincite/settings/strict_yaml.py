"""Settings in YAML: `off` is a string, and a name may be given only once.

YAML 1.1 reads `off`, `no` and `on` as booleans, so that `dense: off` would be False; YAML 1.2 has only `true` and
`false`. If a name is given twice, YAML 1.1 parsers silently keep the last value; here that is an error.
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
    """The parsed text; `yaml.YAMLError` if it is not valid YAML or gives a name twice."""
    loader = _Loader(text)
    loader.name = "the file"
    try:
        return loader.get_single_data()
    except RecursionError as error:
        raise yaml.YAMLError("it is nested too deeply") from error
    finally:
        loader.dispose()
