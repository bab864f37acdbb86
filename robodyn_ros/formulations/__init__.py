"""The referees: classical formulations of robot dynamics, to be read with the book open.

    from robodyn_ros.formulations import compare
    compare(robot, q, qd, qdd)

numpy only, the symbols of the book, one formulation a file, and where the print is wrong, what is
right. Each takes a Robot or a RobotModel and states in the order of its joints, turning or sliding
alike.

    arm.py, links.py              the quantities the books write with: e_i, a_i, rho_i, I_i; frames
    of links newton_euler.py               Angeles 7.4       natural_orthogonal_complement.py
    Angeles 7.5 euler_lagrange.py, kane.py    Angeles 7.3       noc_forward_dynamics.py
    Angeles 7.6 planar.py, moving_base.py     Angeles 7.6.1, 7.5.2 lagrange_4x4.py
    Turney 2          luh_walker_paul.py                 Turney 3 modified_newton_euler.py
    Turney 5          strobing.py, concurrent_schedule.py christoffel.py                Spong 6.3
    spong_newton_euler.py              Spong 6.6 spong_arms.py, hamiltonian.py, properties.py
    Spong 6.4, problems, 6.5 craig.py, solids.py           Craig 6           simulate.py
    Craig, Turney 7 index.py, comparison.py       all of them by name, and side by side
    misprints.py, count.py        what the books got wrong; operation counts
"""
from robodyn_ros.formulations.comparison import Comparison, compare
from robodyn_ros.formulations.index import FORMULATIONS, Formulation

__all__ = ['FORMULATIONS', 'Comparison', 'Formulation', 'compare']
