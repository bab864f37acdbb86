# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""An MJCF as MuJoCo compiles it, with a name for every element."""

from dataclasses import replace

from robodyn_ros.errors import ModelError, shorten
from robodyn_ros.model.description import Placement, unused_name
from robodyn_ros.model.rotation_matrix import from_quaternion

#: What MuJoCo says of a file that it does not find.
NO_FILE = 'Error opening file'
#: Values of mjtSameFrame.
BODY, PRINCIPAL, BODY_AXES = 1, 2, 3


class Compiled:
    """A compiled model of MuJoCo, and names of its elements.

    Every kind of element has names of its own in an MJCF. A link here is a body or a site. So a
    site with the name of a body is `<name>_site`. An element without a name is
    `unnamed_<kind>_<id>`.

    `name`: name of the model.
    `bodies`, `joints`, `sites`, `tendons`, `equalities`, `actuators`, `pairs`, `flexes` (list of
      str): names by the number of the element.
    """

    def __init__(self, mujoco, model):
        self.mujoco, self.model = mujoco, model
        self.name = bytes(model.names).partition(b'\0')[0].decode(errors='replace')
        self.bodies = self._names('body', model.nbody)
        self.joints = self._names('joint', model.njnt)
        self.tendons = self._names('tendon', model.ntendon)
        self.equalities = self._names('equality', model.neq)
        self.actuators = self._names('actuator', len(model.actuator_trntype))
        self.pairs = self._names('pair', model.npair)
        self.flexes = self._names('flex', model.nflex)
        sites = self._names('site', model.nsite)
        taken, self.sites = {*self.bodies, *sites}, []
        for name in sites:
            if name in self.bodies:
                name = unused_name(f'{name}_site', taken)
                taken.add(name)
            self.sites.append(name)

    def _names(self, kind, count):
        """Return the names of all elements of a kind."""
        object_type = getattr(self.mujoco.mjtObj, f'mjOBJ_{kind.upper()}')
        given = [self.mujoco.mj_id2name(self.model, object_type, k) for k in range(count)]
        return [name or unused_name(f'unnamed_{kind}_{k}', given) for k, name in enumerate(given)]

    def has(self, feature):
        """Return whether the options of the file leave a feature on.

        `feature`: such as 'gravity' or 'limit'.
        """
        bits = self.mujoco.mjtDisableBit.__members__
        # springs and dampers had one bit before MuJoCo 3.4
        bit = bits.get(f'mjDSBL_{feature.upper()}') or bits['mjDSBL_PASSIVE']
        return not self.model.opt.disableflags & int(bit)

    def kind(self, what, value):
        """Return the name of a value of an enumeration, such as 'hinge' of `mjtJoint`.

        `what` ({'joint', 'eq', 'trn', 'gain', 'bias', 'dyn', 'wrap', 'geom'}): the enumeration.
        """
        found = getattr(self.mujoco, f'mjt{what.capitalize()}')(int(value))
        return found.name.partition('_')[2].lower()

    def is_scalar(self, joint):
        """Return whether a joint has one velocity: a hinge or a slide.

        `joint`: its number.
        """
        return self.kind('joint', self.model.jnt_type[joint]) in ('hinge', 'slide')

    def position(self, joint):
        """Return where a joint of one velocity is in the posture of the file [rad or m].

        `joint`: its number.
        """
        return float(self.model.qpos0[self.model.jnt_qposadr[joint]])

    def centre(self, body):
        """Return the placement of the principal axes of a body, at its centre of mass.

        `body`: its number.
        """
        model = self.model
        place = placement(model.body_ipos[body], model.body_iquat[body])
        return _aligned(place, model.body_sameframe[body], place)

    def site(self, site):
        """Return the placement of a site on its body.

        `site`: its number.
        """
        model = self.model
        place = placement(model.site_pos[site], model.site_quat[site])
        centre = self.centre(model.site_bodyid[site])
        return _aligned(place, model.site_sameframe[site], centre)

    def coefficients(self, tendon):
        """Return the coefficients of a fixed tendon, whose length is a sum of joint positions.

        `tendon`: its number.
        """
        first = self.model.tendon_adr[tendon]
        found: dict[int, float] = {}
        for k in range(first, first + self.model.tendon_num[tendon]):
            if self.kind('wrap', self.model.wrap_type[k]) != 'joint':
                return {}
            joint = int(self.model.wrap_objid[k])
            found[joint] = found.get(joint, 0.0) + float(self.model.wrap_prm[k])
        return found


def placement(translation, quaternion=(1.0, 0.0, 0.0, 0.0)):
    """Return a placement of a position and a quaternion of MuJoCo.

    `translation` (3,): position [m].
    `quaternion` (4,): scalar first.
    """
    w, x, y, z = (float(number) for number in quaternion)
    return Placement(from_quaternion(x, y, z, w), translation.astype(float))


def _aligned(place, same_frame, centre):
    """Return a placement on a body as MuJoCo computes with it.

    Frames that agree to 1e-6 are one frame there: that of the body, or that of its principal axes.
    Others have the axes of one of these.
    """
    if not same_frame:
        return place
    frame = Placement() if same_frame in (BODY, BODY_AXES) else centre
    return frame if same_frame in (BODY, PRINCIPAL) else replace(place, rotation=frame.rotation)


def compile_mjcf(source):
    """Compile an MJCF.

    `source` (str or Path): text, or path of a file.
    Returns compiled
    Raises ModelError: if MuJoCo is not installed, or refuses the file.
    """
    try:
        import mujoco  # an optional package, needed here only
    except ModuleNotFoundError:
        raise ModelError(
            'the robot is an MJCF, which the compiler of MuJoCo reads, and mujoco is not '
            "installed; expected `pip install 'mujoco>=3.3.2'`"
        ) from None
    load, is_text = mujoco.MjModel, isinstance(source, str)
    try:
        model = load.from_xml_string(source) if is_text else load.from_xml_path(str(source))
    except (ValueError, mujoco.FatalError) as error:
        raise ModelError(_sentence(str(error), None if is_text else str(source))) from None
    return Compiled(mujoco, model)


def _sentence(error, path):
    """Return why MuJoCo refuses an MJCF, with a remedy for files that are missing."""
    where = 'the MJCF' if path is None else f'the MJCF {shorten(path, 300)}'
    sentence = f'MuJoCo refuses {where}: {" ".join(error.split())}'
    if NO_FILE not in error:
        return sentence
    if path is None:
        return (
            f'{sentence}; expected the path of the MJCF in place of its text, because a text has '
            'no folder, or a <compiler meshdir> that begins with /'
        )
    return (
        f'{sentence}; expected it beside {shorten(path, 300)} as the file says. Copy it there '
        'with the MJCF; in a clone, `git lfs pull` may bring it'
    )
