"""The mass matrix in factors: M = L D L^T, its determinant, diagonal and trace."""
from dataclasses import dataclass

import numpy as np

from robodyn_ros.boundary import Boundary
from robodyn_ros.kernels import generic
from robodyn_ros.model.layout import V


@dataclass(frozen=True, eq=False)
class MassFactors:
    """M = L diag(D) L^T, joints in the order of `joint_names`.

    L : (nv, nv), 1 on its diagonal, beside it not zero only where joint i carries joint j. order :
    (nv,) numbers of the joints from base to tip; L[order][:, order] is unit upper triangular, and
    unit lower triangular with the order turned round, as Jain counts. D : (nv,) [kg m^2 or kg]
    hinge inertias. Of a batch, L and D have k in front.
    """

    L: np.ndarray
    D: np.ndarray
    order: np.ndarray


class Factors(Boundary):
    """The mass matrix of a robot by its factors, none of which needs the matrix.

    Every method takes one state, q (nq,) and all else (nv,), or a batch with k in front, and
    writes into `out` if given; wrong shapes and values that are not finite are a ShapeError, a
    singular pivot is a SingularityError that names the body.
    """

    def mass_matrix_factors(self, q):
        """The innovations factors M = L D L^T, L = 1 + H phi K, in O(n depth); a MassFactors.

        Jain 2011, Lemmas 7.3 and 9.11 (eq. 7.14 and 9.49).
        """
        (q,), k = self._states(q)
        F, D = self._out(None, k, (self.nv, self.nv)), self._out(None, k, (self.nv,))
        self._run(generic.mass_factors, k, *self._body, q, self._zero, F, D)
        return self._factors(F, D)

    def _factors(self, F, D):
        """The MassFactors with L = F^T."""
        return MassFactors(np.swapaxes(F, -1, -2), D, self.model.topology[1:, V].copy())

    def factor_product(self, q, x, transposed=False, inverse=False, out=None):
        """L x, L^T x (transposed), L^-1 x (inverse) or L^-T x (both) of M = L D L^T, in O(n).

        Jain 2011, eq. (7.14) and (7.17): L = 1 + H phi K, L^-1 = 1 - H psi K; L^-1 of a torque is
        what articulated bodies call its innovations. x : (nv,). Result (nv,).
        """
        (q, x), k = self._states(q, x)
        out = self._out(out, k, (self.nv,))
        self._run(generic.factor_product, k, *self._body, q, self._zero, x, bool(transposed),
                  bool(inverse), out)
        return out

    def hinge_inertias(self, q, out=None):
        """D of M = L D L^T, in O(n): the inertia that each joint feels while the joints it carries
        move freely.

        Jain 2011, Algorithm 6.1: D(i) = H(i) P(i) H*(i), rotor included. Result (nv,) [kg m^2 or
        kg], in the order of `joint_names`.
        """
        (q,), k = self._states(q)
        out = self._out(out, k, (self.nv,))
        self._run(generic.hinge_inertias, k, *self._body, q, self._zero, out)
        return out

    def mass_matrix_log_det(self, q):
        """log det M = sum log D(i), in O(n), where the product itself may overflow; a number, or
        (k,) for a batch. Jain 2011, eq. (9.53).
        """
        return np.log(self.hinge_inertias(q)).sum(axis=-1)

    def mass_matrix_det(self, q):
        """det M = product of D(i), in O(n); a number, or (k,) for a batch. Jain 2011, eq. (9.53).
        """
        return self.hinge_inertias(q).prod(axis=-1)

    def mass_matrix_diagonal(self, q, out=None):
        """M(i, i) = H(i) R(i) H*(i) + rotor, in O(n): what each joint moves while the others hold.

        Jain 2011, eq. (4.20). Result (nv,) [kg m^2 or kg].
        """
        (q,), k = self._states(q)
        out = self._out(out, k, (self.nv,))
        self._run(generic.mass_matrix_diagonal, k, *self._body, q, out)
        return out

    def mass_matrix_trace(self, q):
        """trace M = sum trace H(i) R(i) H*(i), rotors included, in O(n); a number, or (k,) for a
        batch. Jain 2011, eq. (4.21).
        """
        return self.mass_matrix_diagonal(q).sum(axis=-1)

    def mass_product(self, q, x, out=None):
        """M(q) x, in O(n): the generalised momentum of a velocity, the inertial torque of an
        acceleration. Jain 2011, eq. (4.6), as two sweeps. x : (nv,). Result (nv,).
        """
        (q, x), k = self._states(q, x)
        out = self._out(out, k, (self.nv,))
        self._run(generic.mass_product, k, *self._body, q, x, out)
        return out
