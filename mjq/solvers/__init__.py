"""Solvers that know no paper.

``chain``  any finite Markov chain, from its transition rule: the definition that faster solvers are held to
``drain``  steady state of saturated systems, which only drain between two admissions: millions of states
``qbd``    infinitely many levels (quasi-birth-death chains)
"""
