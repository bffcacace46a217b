from . import questions as questions
from .drawn import Drawn as Drawn
from .drawn import draw as draw
from .question import Question as Question
from .question import printed as printed
from .sheets import write as write
