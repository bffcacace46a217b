from . import chapters as chapters
from . import drawings as drawings
from . import exercises as exercises
from . import experiments as experiments
from . import published as published
from . import references as references
from . import runs as runs
