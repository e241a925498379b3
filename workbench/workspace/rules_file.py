"""The table with the rules of a project, which answer the requests of tools."""

from pathlib import Path
from typing import TypeAlias

from workbench.model.project_yaml import RULES
from workbench.model.rules.answer_rule import AnswerRule
from workbench.model.rules.rule_yaml import rule_to_yaml
from workbench.model.rules.rules_text import AnswerRules, parse_rules
from workbench.workspace.project_file import StoredTable, TableFile


class RulesFile(TableFile[AnswerRule]):
    def __init__(self, folder: Path) -> None:
        super().__init__(folder, RULES, lambda text: _contents(parse_rules(text)), rule_to_yaml)

    def read(self) -> AnswerRules:
        """Return the rules, and the mistakes in the file."""
        return AnswerRules(*self.read_contents())


StoredRules: TypeAlias = StoredTable[RulesFile, AnswerRules]


def _contents(read: AnswerRules) -> tuple[tuple[AnswerRule, ...], tuple[str, ...]]:
    return read.rules, read.problems
