"""References on their way in: a path that keeps to the limits, or the sentence that says why there is none."""
import numpy as np

from robodyn_ros.control.path import Path


def receive_trajectory(trajectory, start, settings, joint_names):
    """Return (Path, '') of a trajectory that begins at the reference start (3, nv), or (None, sentence)."""
    if trajectory.passed:
        sentence = _refuse_far(trajectory.positions[trajectory.passed - 1], start[0],
                               settings.max_start_error, joint_names)
        if sentence:
            return None, sentence
    return _within_limits(Path.through(trajectory, start), start, settings, joint_names)


def receive_target(trajectory, start, elapsed, settings, joint_names):
    """Return (Path, '') to one streamed target, or (None, sentence).

    elapsed : [s] since the target before it, infinite for the first. A target that is due at once is a
    step, and as such must not be farther than the joint moves in that time, nor the first one farther
    than an activation may begin.
    """
    if not trajectory.passed:
        return _within_limits(Path.through(trajectory, start), start, settings, joint_names)
    target = trajectory.positions[0]
    reach = settings.velocity_limits * min(max(elapsed, settings.period), settings.reference_timeout)
    if elapsed == np.inf:
        reach = np.minimum(reach, settings.max_start_error)
    sentence = _refuse_far(target, start[0], reach, joint_names)
    return (None, sentence) if sentence else _within_limits(
        Path.target(trajectory), start, settings, joint_names)


def _within_limits(path, start, settings, joint_names):
    margin = settings.position_margin
    sentence = path.refusal(start, settings.lower - margin, settings.upper + margin,
                            settings.velocity_limits, joint_names)
    return (None, sentence) if sentence else (path, '')


def _refuse_far(q, reference, reach, joint_names):
    error = np.abs(q - reference)
    wrong = np.flatnonzero(~(error <= reach))
    if not wrong.size:
        return ''
    i = wrong[0]
    return (f'position: joint {joint_names[i]} would start at {q[i]:.6g}, {error[i]:.6g} from its reference '
            f'{reference[i]:.6g}; expected at most {np.broadcast_to(reach, q.shape)[i]:.6g}, or later')
