"""The referees: classical formulations of robot dynamics, to be read with the book open.

    from robodyn_ros.formulations import compare
    compare(robot, q, qd, qdd)

numpy only (scipy for the solvers of angeles_simulation.py), the symbols of the book, one
formulation a file, and where the print is wrong, what is right. Each takes a Robot or a
RobotModel, and states in the order of its joints.

    arm.py, links.py, complex_step.py    what the books write with: e_i, a_i, rho_i, I_i; slopes

    Angeles   newton_euler.py                    7.4        euler_lagrange.py, kane.py      7.3
              natural_orthogonal_complement.py   7.5        noc_forward_dynamics.py         7.6
              moving_base.py                     7.5.2      planar.py                       7.6.1
              angeles_simulation.py              7.6.3      friction.py, minimum_time.py    7.8
              coupled_bodies.py, statics.py      7.9
    Turney    lagrange_4x4.py                    2          luh_walker_paul.py              3
              modified_newton_euler.py           5          strobing.py                     3, 7
              concurrent_schedule.py             6          simulate.py                     7
    Spong     christoffel.py, spong_arms.py      6.3, 6.4   spong_newton_euler.py           6.6
              properties.py                      6.5        hamiltonian.py                  6
    Craig     craig.py, simulate.py              6          solids.py                       6.3

    Jain      spatial_operators.py, jain/        1 to 10    (doc/jain.md says what is where)

    index.py, comparison.py      all of them by name, and side by side
    companions.py                what the books have beside equations of motion
    misprints.py, count.py       what the books got wrong, and the test of it; operation counts
"""
from robodyn_ros.formulations.comparison import Comparison, compare
from robodyn_ros.formulations.index import FORMULATIONS, Formulation

__all__ = ['FORMULATIONS', 'Comparison', 'Formulation', 'compare']
