"""Settings for all tests.

Property tests draw the same examples in every run and have no deadline.
"""

import pytest
from hypothesis import settings

pytest.register_assert_rewrite("oracles", "support")

settings.register_profile("fixed", derandomize=True, database=None, deadline=None)
settings.load_profile("fixed")
