# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""Friction of the joints with its dissipation function: Angeles, section 7.8.

    viscous     Delta = qd . B qd / 2                                                 (7.130)
                delta = -B qd                                                         (7.132)
    Coulomb     Delta = sum tauC_i |qd_i|                                             (7.135)
                delta_i = -tauC_i sgn qd_i                                            (7.133)
    low-speed   Delta = sum tauC_i |qd_i| + eps_i/gamma_i (1 - exp(-gamma_i |qd_i|))  (7.138)
                delta_i = -(tauC_i + eps_i exp(-gamma_i |qd_i|)) sgn qd_i             (7.136)

Always delta = -dDelta/d(qd) (7.62). The power lost is -qd . delta: twice the Delta of viscous
friction, once that of Coulomb friction. sgn 0 = 0, as rest is up to the integrator. O(n).
"""

from dataclasses import dataclass

import numpy as np


@dataclass(frozen=True, eq=False)
class Friction:
    """Constants of every joint, (n,) or one number for all.

    viscous : B [N m s/rad or N s/m]. coulomb : tauC [N m or N]. extra : eps, by how much more a
    slow joint resists [N m or N]. decay : gamma > 0, how fast that fades with the rate [s/rad or
    s/m].
    """

    viscous: np.ndarray | float = 0.0
    coulomb: np.ndarray | float = 0.0
    extra: np.ndarray | float = 0.0
    decay: np.ndarray | float = 1.0

    def dissipation(self, qd):
        """Delta(qd) [W]; of complex rates too, so that it can be differentiated by one."""
        qd = np.asarray(qd)
        speed = qd * np.sign(qd.real)
        slow = self.extra / self.decay * (1.0 - np.exp(-self.decay * speed))
        return np.sum(0.5 * self.viscous * qd**2 + self.coulomb * speed + slow)

    def torque(self, qd):
        """delta(qd) (n,) = -dDelta/d(qd), what friction adds to the torque of the drives."""
        qd = np.asarray(qd)
        dry = self.coulomb + self.extra * np.exp(-self.decay * np.abs(qd))
        return -self.viscous * qd - dry * np.sign(qd)

    def power(self, qd):
        """Power lost -qd . delta [W], never negative."""
        return -np.sum(qd * self.torque(qd))
