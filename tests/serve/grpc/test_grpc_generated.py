"""The generated code is that of the proto beside it, and the proto is that of the requests and the wire."""

from __future__ import annotations

import importlib.util
import re
import subprocess
import sys
import tomllib
from pathlib import Path
from types import ModuleType
from typing import Any, get_args, get_type_hints

import pytest
from google.protobuf.descriptor_pb2 import FileDescriptorProto, FileDescriptorSet

import pincite.serve.grpc.generated.semantic_query_pb2 as pb
from pincite.search.query import Absence, LegReport
from pincite.serve import requests
from pincite.serve.grpc.generated import semantic_query_pb2_grpc as generated
from pincite.upkeep.health import Finding

ROOT = Path(__file__).parents[3]
PROTO = ROOT / "proto"
FILE = "pincite/semantic/v1/semantic_query.proto"
ADVICE = "run: make grpc"


@pytest.fixture(scope="module")
def script() -> ModuleType:
    spec = importlib.util.spec_from_file_location("generate_grpc", ROOT / "scripts" / "generate_grpc.py")
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def modules() -> list[Path]:
    return sorted((ROOT / "src/pincite/serve/grpc/generated").glob("semantic_query_pb2*"))


def test_the_generated_code_is_that_of_the_proto(script: ModuleType) -> None:
    """Told by the digest in the first line, so that it needs no generator."""
    assert [path.name for path in modules()] == [
        "semantic_query_pb2.py", "semantic_query_pb2.pyi", "semantic_query_pb2_grpc.py",
    ]  # fmt: skip
    for path in modules():
        assert path.read_text(encoding="utf-8").startswith(script.head()), f"{path.name} is stale; {ADVICE}"


def test_the_descriptor_is_that_of_the_proto(tmp_path: Path) -> None:
    """By whatever generator is installed: descriptors do not depend on its version."""
    pytest.importorskip("grpc_tools", reason="the digest is compared, the descriptor cannot be: no grpcio-tools here")
    target = tmp_path / "set"
    command = [sys.executable, "-m", "grpc_tools.protoc", f"-I{PROTO}", f"--descriptor_set_out={target}", FILE]
    subprocess.run(command, check=True, cwd=PROTO)
    (compiled,) = FileDescriptorSet.FromString(target.read_bytes()).file
    own = FileDescriptorProto()
    pb.DESCRIPTOR.CopyToProto(own)
    compiled.ClearField("source_code_info")
    assert _without_json_names(own) == _without_json_names(compiled), ADVICE


def test_with_its_generator_the_code_comes_out_byte_for_byte(script: ModuleType, tmp_path: Path) -> None:
    if not script.is_the_generator_installed():
        pytest.skip(f"the digest is compared, the text cannot be: grpcio-tools {script.GENERATOR} is not installed")
    for made, kept in zip(script.generate(tmp_path), modules(), strict=True):
        assert made.read_text(encoding="utf-8") == kept.read_text(encoding="utf-8"), ADVICE


def test_the_oldest_packages_that_are_allowed_can_run_it(script: ModuleType) -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    floors = dict(re.match(r"([\w-]+)>=([\d.]+)", item).groups() for item in project["optional-dependencies"]["grpc"]
                  if item.startswith(("grpcio", "protobuf")))  # fmt: skip
    (protobuf,) = re.findall(r"# Protobuf Python Version: ([\d.]+)", modules()[0].read_text(encoding="utf-8"))
    assert generated.GRPC_GENERATED_VERSION == script.GENERATOR
    assert {"grpcio", "protobuf"} <= floors.keys()
    for name, floor in floors.items():
        needed = protobuf if name == "protobuf" else script.GENERATOR
        assert _numbers(floor) >= _numbers(needed), f"{name}>={floor} is older than the generated code: {needed}"


def _numbers(version: str) -> tuple[int, ...]:
    parts = tuple(int(part) for part in version.split("."))
    return parts + (0,) * (3 - len(parts))


def _without_json_names(file: FileDescriptorProto) -> str:
    """protoc writes them into a set, and leaves them out of a module."""
    return re.sub(r'^ *json_name: ".*"\n', "", str(file), flags=re.MULTILINE)


# --- style, as `buf lint` with STANDARD would have it -----------------------------------------------------------


def snake(name: str) -> str:
    return re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "_", name).lower()


def test_the_proto_keeps_to_the_style_of_the_field() -> None:
    file = FileDescriptorProto()
    pb.DESCRIPTOR.CopyToProto(file)
    assert file.package == "pincite.semantic.v1"
    assert file.name == file.package.replace(".", "/") + "/semantic_query.proto"
    for enum in file.enum_type:
        prefix = snake(enum.name).upper() + "_"
        assert (enum.value[0].name, enum.value[0].number) == (f"{prefix}UNSPECIFIED", 0)
        assert all(re.fullmatch(f"{prefix}[A-Z0-9_]+", value.name) for value in enum.value)
    for message in file.message_type:
        assert re.fullmatch(r"([A-Z][a-z0-9]*)+", message.name)
        for field in message.field:
            assert re.fullmatch(r"[a-z][a-z0-9]*(_[a-z0-9]+)*", field.name)
    (service,) = file.service
    assert service.name.endswith("Service")
    taken = []
    for method in service.method:
        assert method.input_type == f".{file.package}.{method.name}Request"
        assert method.output_type == f".{file.package}.{method.name}Response"
        taken += [method.input_type, method.output_type]
    assert len(taken) == len(set(taken)) == 10


# --- the same names and words as at the other doors -------------------------------------------------------------


@pytest.mark.parametrize(
    ("message", "model"),
    [
        (pb.SearchRequest, requests.Search),
        (pb.GetContextRequest, requests.GetContext),
        (pb.ReindexRequest, requests.Reindex),
        (pb.GetIndexHealthRequest, requests.IndexHealth),
    ],
    ids=lambda item: item.__name__,
)
def test_a_request_has_the_fields_of_its_operation(message: Any, model: type[requests.Request]) -> None:
    assert {field.name for field in message.DESCRIPTOR.fields} == set(requests.names_of(model))


def words(enum: str) -> set[str]:
    values = pb.DESCRIPTOR.enum_types_by_name[enum].values
    prefix = values[0].name.removesuffix("UNSPECIFIED")
    return {value.name.removeprefix(prefix).lower() for value in values[1:]}


def literals(model: type[requests.Request], field: str) -> set[str]:
    return set(get_args(model.model_fields[field].annotation))


def test_an_enum_has_the_words_of_the_wire() -> None:
    assert words("SearchMode") == literals(requests.Search, "mode") == literals(requests.GetContext, "mode")
    assert words("Group") == literals(requests.Search, "group")
    assert words("SortOrder") == literals(requests.Search, "sort")
    assert words("ResponseFormat") == literals(requests.Search, "response_format")
    selectors = requests.READ_CONTEXT_SCHEMA["anyOf"][1]["properties"]["selector"]["enum"]
    assert words("Selector") == set(selectors)
    assert words("Absence") == set(get_args(Absence))
    assert words("LegStatus") == _words_of(LegReport, "status")
    assert words("FindingStatus") == _words_of(Finding, "status")


def _words_of(kind: Any, field: str) -> set[str]:
    return set(get_args(get_type_hints(kind)[field]))
