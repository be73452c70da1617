"""Messages of the other party: a refusal's sentence is a stranger's text."""

import pytest

from sudare.errors import InvalidMessage
from sudare.formats.strangers import visible
from sudare.twoparty.protocol.messages import refusal, refuse_refusal
from support.strangers import TEXTS, assert_harmless


@pytest.mark.parametrize("text", TEXTS.values(), ids=TEXTS)
def test_a_refusal_is_seen_and_commands_nothing(text: str) -> None:
    with pytest.raises(InvalidMessage) as refused:
        refuse_refusal(refusal(text))
    said = str(refused.value)
    assert said == f"the other party refused: {visible(text)}"
    assert_harmless(said)
