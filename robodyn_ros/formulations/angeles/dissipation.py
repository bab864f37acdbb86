# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""Friction of the joints with its dissipation function: Angeles, section 7.8.

    viscous     Delta = qd . B qd / 2                                                 (7.130)
                delta = -B qd                                                         (7.132)
    Coulomb     Delta = sum tauC_i |qd_i|                                             (7.135)
                delta_i = -tauC_i sgn qd_i                                            (7.133)
    low-speed   Delta = sum tauC_i |qd_i| + eps_i/gamma_i (1 - exp(-gamma_i |qd_i|))  (7.138)
                delta_i = -(tauC_i + eps_i exp(-gamma_i |qd_i|)) sgn qd_i             (7.136)

Always delta = -dDelta/d(qd) (7.62). The lost power is -qd . delta: twice the Delta of viscous
friction, once that of Coulomb friction. At rest sgn 0 = 0; sticking is left to the integrator.
O(n).
"""

from dataclasses import dataclass

import numpy as np

from robodyn_ros.errors import short_repr


@dataclass(frozen=True, eq=False)
class Friction:
    """Friction constants of every joint, (n,) or one number for all.

    `viscous`: B [N m s/rad or N s/m].
    `coulomb`: tauC [N m or N].
    `extra`: eps, additional friction of a slow joint [N m or N].
    `decay`: gamma > 0, decay of the additional friction with speed [s/rad or s/m].
    """

    viscous: np.ndarray | float = 0.0
    coulomb: np.ndarray | float = 0.0
    extra: np.ndarray | float = 0.0
    decay: np.ndarray | float = 1.0

    __repr__ = short_repr

    def dissipation(self, qd):
        """Return Delta(qd), also of complex velocities for complex-step derivatives.

        `qd` ((n,) array_like): joint velocities [rad/s, m/s].
        """
        qd = np.asarray(qd)
        speed = qd * np.sign(qd.real)
        slow = self.extra / self.decay * (1.0 - np.exp(-self.decay * speed))
        return np.sum(0.5 * self.viscous * qd**2 + self.coulomb * speed + slow)

    def torque(self, qd):
        """Return delta(qd) = -dDelta/d(qd), which acts on the joints beside the drives.

        `qd` ((n,) array_like): joint velocities [rad/s, m/s].
        """
        qd = np.asarray(qd)
        dry = self.coulomb + self.extra * np.exp(-self.decay * np.abs(qd))
        return -self.viscous * qd - dry * np.sign(qd)

    def power(self, qd):
        """Return the lost power -qd . delta, never negative.

        `qd` ((n,) array_like): joint velocities [rad/s, m/s].
        """
        return -np.sum(qd * self.torque(qd))
