# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""A package in C or C++ for one robot: sources, header, build files, manifest and known answers.

The files depend only on the description, the arguments and the version of this package.
"""

import hashlib
import json
import re
from dataclasses import replace
from importlib import metadata
from pathlib import Path

import numpy as np

from robodyn_ros.codegen.emission import c_templates
from robodyn_ros.codegen.emission.c_answers import answers
from robodyn_ros.codegen.emission.c_programs import check, self_test, styles, timing
from robodyn_ros.codegen.emission.c_selection import FROM_ALL
from robodyn_ros.codegen.emission.emit_c import STATUS, comment, declaration, definition
from robodyn_ros.errors import ModelError
from robodyn_ros.model import layout

#: Version of the interface. Increase it with any change of arguments, here and in robodyn_control.
INTERFACE = 4
#: Columns of the friction of a joint, as `joint_friction` of a package lists them.
FRICTION = {
    'viscous': layout.DAMPING,
    'Coulomb': layout.FRICTION,
    'static beyond Coulomb': layout.STICTION,
    'Stribeck velocity': layout.STRIBECK_VELOCITY,
    'exponent of the Stribeck curve': layout.STRIBECK_EXPONENT,
    'cosine': layout.COSINE,
    'sine': layout.SINE,
    'wave number over the position': layout.WAVENUMBER,
}
UNITS = {
    'q': 'rad or m',
    'qd': 'rad/s or m/s',
    'qdd': 'rad/s^2 or m/s^2',
    'tau': 'N m or N',
    'qd_r': 'rad/s or m/s',
    'qdd_r': 'rad/s^2 or m/s^2',
    'energies': 'J',
    'com': 'm',
    'reference': 'position, velocity, acceleration',
    'gains': 'position and velocity gain, in the units of the law',
    'damping': 'N m or N',
    'coriolis': 'N m or N',
    'payload': 'mass, first moment, inertia xx xy xz yy yz zz in the axes of the frame, about its '
    'origin; kg, kg m, kg m^2',
    'diagonal': 'added to that of the mass matrix; kg m^2 or kg',
    'terms': 'feedback, inertia, coriolis, gravity, friction, other; N m or N',
}


def files(model, urdf, emitted, style):
    """Return the files of the package.

    `urdf`: text of the description; its SHA-256 identifies the robot in the package.
    Raises ModelError: if the prefix is no identifier, or if a function was recorded for another
      precision.
    """
    if not re.fullmatch('[a-z][a-z0-9_]*', style.prefix) or style.prefix in _KEYWORDS:
        raise ModelError(
            f'robot {model.name!r}: got the prefix {style.prefix!r}; expected '
            'lower-case letters, digits and underscores, a letter first, no keyword of C++'
        )
    for one in emitted:
        if one.recipe.real != style.real:
            raise ModelError(
                f'robot {model.name!r}: {one.name} was recorded for {one.recipe.real}, but got '
                f'the style of {style.real}; expected the same'
            )
    several, style = style, replace(style, lanes=1)
    digest = hashlib.sha256(urdf.encode()).hexdigest()
    package, ext = f'{style.prefix}_dynamics', 'c' if style.is_c else 'cpp'
    header = f'{package}/{package}.{"h" if style.is_c else "hpp"}'
    known_answers = [answers(model, one, style) for one in emitted]
    texts = {f'src/{one.name}.{ext}': source(one, model, style, header) for one in emitted}
    if several.lanes > 1:
        texts |= {
            f'src/{one.name}{several.suffix}.{ext}': source(one, model, several, header)
            for one in emitted
        }
    texts[f'src/description.{ext}'] = description(model, digest, emitted, style, header)
    texts[f'src/self_test.{ext}'] = self_test(emitted, known_answers, several, header)
    names = {
        'name': style.prefix,
        'prefix': f'{style.prefix}_' if style.is_c else '',
        'PREFIX': style.prefix.upper(),
        'package': package,
        'robot': _plain(model.name),
        'ext': ext,
        'real': style.real,
        'restrict': style.restrict,
        'is_float': str(int(style.real == 'float')),
        'open': '' if style.is_c else f'\nnamespace {style.prefix} {{\n',
        'close': '' if style.is_c else f'\n}}  // namespace {style.prefix}\n',
        'math': 'math.h' if style.is_c else 'cmath',
        'stdint': 'stdint.h' if style.is_c else 'cstdint',
        'string': 'string.h' if style.is_c else 'cstring',
        'LANGUAGE': 'C' if style.is_c else 'CXX',
        'standard': _STANDARD[style.language],
        'renamed': c_templates.RENAMED,
        'shrunk': c_templates.SHRUNK,
        'short': '\n    '.join(path for path, text in texts.items() if is_short(text)),
        'spills': c_templates.SPILLS,
        'sources': '\n  '.join(texts),
    }
    size = 8 if style.real == 'double' else 4
    lanes = names | {
        'own': several.variable,
        'count': str(several.lanes),
        'align': str(size),
        'bytes': str(size * several.lanes),
    }
    names['lanes'] = filled(c_templates.LANES, lanes) if several.lanes > 1 else ''
    for function in ('cos', 'sin', 'tanh'):
        names[function] = (
            f'std::{function}' if not style.is_c else function + 'f' * (style.real == 'float')
        )
    has_tangents = any(node[0] == 'tanh' for one in emitted for node in one.recording.tape.nodes)
    names['tangents'] = filled(c_templates.TANGENTS, names) if has_tangents else ''
    texts['src/internal.h'] = filled(c_templates.INTERNAL, names)
    texts[f'include/{header}'] = public_header(model, emitted, several, header)
    texts['CMakeLists.txt'] = filled(c_templates.CMAKE, names)
    texts['package.xml'] = filled(c_templates.PACKAGE_XML, names)
    texts['manifest.json'] = manifest(model, digest, emitted, several)
    texts[f'test/check.{ext}'] = check(emitted, several, header)
    texts[f'test/timing.{ext}'] = timing(emitted, model, several, header)
    return dict(sorted(texts.items()))


def is_short(text):
    """Return whether the source of functions has no more than SHORT lines.

    `text`: the source.
    """
    return text.count('\n') <= c_templates.SHORT


def write(folder, texts):
    """Write files below a folder, which is created if missing.

    `texts` (dict): {path below the folder: text}.
    """
    for path, text in texts.items():
        file = Path(folder) / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text)


def filled(template, names):
    """Return a template with its placeholders `@name@` replaced.

    `names` (dict): {name: text}.
    """
    return re.sub(r'@(\w+)@', lambda found: names[found[1]], template)


#: Keywords of C++, where the prefix is a namespace.
_KEYWORDS = frozenset(
    """
    alignas alignof and and_eq asm auto bitand bitor bool break case catch char char16_t
    char32_t class compl const const_cast constexpr continue decltype default delete do
    double dynamic_cast else enum explicit export extern false float for friend goto if
    inline int long mutable namespace new noexcept not not_eq nullptr operator or or_eq
    private protected public register reinterpret_cast return short signed sizeof static
    static_assert static_cast std struct switch template this thread_local throw true try
    typedef typeid typename union unsigned using virtual void volatile wchar_t while xor
    xor_eq
    """.split()
)
_STANDARD = {
    'c': 'C_STANDARD 99 C_STANDARD_REQUIRED ON',
    'c++': 'CXX_STANDARD 17 CXX_STANDARD_REQUIRED ON',
}


def _plain(text):
    """Return a name without characters that are special in any of the files."""
    return re.sub(r'[^\w .,()-]', '_', text, flags=re.ASCII)


def source(one, model, style, header):
    """Return the source file of one function.

    `one` (Emitted): the function.
    """
    recording = one.recording
    counted = ', '.join(f'{number} {what}' for what, number in recording.counts().items())
    bodies = [f'body {k}: {name}' for k, name in enumerate(model.body_names)]
    return '\n'.join(
        (
            comment(recording.title),
            comment(f'{counted}; recorded from {recording.origin}'),
            f'#include "{header}"',
            '',
            '#include "internal.h"',
            '',
            *_opened(style),
            definition(recording, one.name, style, bodies),
            *_closed(style),
        )
    )


def _opened(style):
    """Return the lines that open the namespace; none in C."""
    return () if style.is_c else (f'namespace {style.prefix} {{', '')


def _closed(style):
    """Return the lines that close the namespace; none in C."""
    return () if style.is_c else (f'}}  // namespace {style.prefix}', '')


def public_header(model, emitted, style, header):
    """Return the header: status codes, sizes, and every function with its arguments."""
    several, style = style, replace(style, lanes=1)
    guard, upper = re.sub(r'\W', '_', header).upper(), style.prefix.upper()
    lines = [
        comment(f'Dynamics of the robot {model.name}, printed by robodyn_ros.'),
        f'#ifndef {guard}',
        f'#define {guard}',
        '',
    ]
    if style.is_c:
        lines += [
            '#ifdef __cplusplus',
            f'#define {upper}_RESTRICT __restrict',
            'extern "C" {',
            '#else',
            f'#define {upper}_RESTRICT restrict',
            '#endif',
            '',
        ]
    lines += _opened(style)
    lines += [
        comment(f'Coordinates: {", ".join(model.position_names)}.'),
        comment(f'Velocities: {", ".join(model.joint_names)}.'),
        f'enum {{ {upper}_NQ = {model.nq}, {upper}_NV = {model.nv} }};',
        '',
        *_all_positions(model, emitted, upper),
        comment('Status of every function. Unless it is OK, the results are unchanged.'),
        'enum {',
        *(f'    {style.constant(name)} = {number},' for name, number in list(STATUS.items())[:-1]),
        f'    {style.constant("SINGULAR")} = {STATUS["SINGULAR"]}',
        '};',
        '',
    ]
    for one in emitted:
        lines += _documented(one)
        restrict = f'{upper}_RESTRICT' if style.is_c else None
        lines += [declaration(one.recording, one.name, style, restrict) + ';', '']
        if several.lanes > 1:
            lines += [
                comment(
                    f'The same for {several.lanes} states; entry k of state i is at '
                    f'[{several.lanes} k + i].'
                ),
                declaration(one.recording, one.name, several, restrict) + ';',
                '',
            ]
    own, void = style.function, 'void' if style.is_c else ''
    lines += [
        comment('SHA-256 of the description of the robot, in hexadecimal.'),
        f'const char *{own("urdf_sha256")}({void});',
        '',
        comment('Version of this interface; it changes with the arguments of the functions.'),
        f'int {own("interface_version")}({void});',
        '',
        comment('Name of velocity k, 0 <= k < NV; a null pointer for other k.'),
        f'const char *{own("joint_name")}(int k);',
        '',
        comment('Name of the base link.'),
        f'const char *{own("base_name")}({void});',
        '',
        comment('Name of frame k of this package, from 0; a null pointer for other k.'),
        f'const char *{own("frame_name")}(int k);',
        '',
        comment('Name of the frame of payload k, from 0; a null pointer for other k.'),
        f'const char *{own("payload_frame")}(int k);',
        '',
        comment('Friction of joint k, 0 <= k < NV: ' + ', '.join(FRICTION) + '.'),
        f'const {style.real} *{own("joint_friction")}(int k);',
        '',
        comment('A whole turn of joint k that turns without end, 0 of others; rad. 0 <= k < NV.'),
        f'{style.real} {own("joint_turn")}(int k);',
        '',
        comment('Name of the robot.'),
        f'const char *{own("robot_name")}({void});',
        '',
        comment('Compare every function with known answers; return the number of wrong results.'),
        f'int {own("self_test")}({void});',
        '',
    ]
    lines += _closed(style)
    if style.is_c:
        lines += ['#ifdef __cplusplus', '}', '#endif', '']
    return '\n'.join((*lines, '#endif', ''))


def _all_positions(model, emitted, upper):
    """Yield the lines about functions that take the positions of all joints, if there are any."""
    if any(one.quantity.endswith(FROM_ALL) for one in emitted):
        names = model.all_position_names
        yield comment(f'Coordinates of functions that end in {FROM_ALL}: {", ".join(names)}.')
        yield f'enum {{ {upper}_NQ{FROM_ALL.upper()} = {len(names)} }};'
        yield ''


def _documented(one):
    """Yield the lines that document arguments and results of a function."""
    recording = one.recording
    yield '/* ' + comment(recording.title)[3:-3].rstrip('.') + '.'
    for kind, shapes in (('in', recording.inputs), ('out', recording.outputs)):
        for name, shape in shapes.items():
            size = ' x '.join(map(str, shape))
            unit = f' [{UNITS[name]}]' if name in UNITS else ''
            yield f' * {kind:3} {name}: {size}{unit}'
    yield ' */'


def description(model, digest, emitted, style, header):
    """Return the source file with the names of the robot.

    `digest`: SHA-256 of the description, in hexadecimal.
    """
    own = style.function
    return '\n'.join(
        (
            comment('Names of the robot.'),
            f'#include "{header}"',
            '',
            *(['#include <stddef.h>', ''] if style.is_c else []),
            *_opened(style),
            *_constant(f'const char *{own("urdf_sha256")}', f'"{digest}"', style),
            *_constant(f'int {own("interface_version")}', INTERFACE, style),
            *_constant(f'const char *{own("robot_name")}', json.dumps(model.name), style),
            *_constant(f'const char *{own("base_name")}', json.dumps(model.body_names[0]), style),
            f'const {style.real} *{own("joint_friction")}(int k)',
            '{',
            f'    static const {style.real} numbers[][{len(FRICTION)}] = {{',
            *(
                f'        {{{", ".join(map(style.number, row))}}},'
                for row in np.transpose([model.joint_values(each) for each in FRICTION.values()])
            ),
            '    };',
            '    return numbers[k];',
            '}',
            '',
            f'{style.real} {own("joint_turn")}(int k)',
            '{',
            f'    static const {style.real} numbers[] = {{'
            f'{", ".join(map(style.number, model.turns))}}};',
            '    return numbers[k];',
            '}',
            '',
            *_numbered(own('joint_name'), model.joint_names, style),
            *_numbered(own('frame_name'), _frames(emitted), style),
            *_numbered(own('payload_frame'), _payloads(emitted), style),
            *_closed(style),
        )
    )


def _frames(emitted):
    """Return the names of the frames of a package, in the order given."""
    jacobians = 'jacobian', 'jacobian' + FROM_ALL
    return list(dict.fromkeys(one.subject for one in emitted if one.quantity in jacobians))


def _payloads(emitted):
    """Return the names of the frames of payloads of a package."""
    return list(next((one.recipe.payloads for one in emitted if one.recipe.payloads), ()))


def _constant(head, value, style):
    """Return the lines of a function without arguments that returns a constant."""
    return f'{head}({"void" if style.is_c else ""})', '{', f'    return {value};', '}', ''


def _numbered(function, names, style):
    """Yield the lines of a function that returns the name of a number."""
    none = 'NULL' if style.is_c else 'nullptr'
    yield from (f'const char *{function}(int k)', '{', '    switch (k) {')
    for k, name in enumerate(names):
        yield from (f'    case {k}:', f'        return {json.dumps(name)};')
    yield from ('    default:', f'        return {none};', '    }', '}', '')


def _shapes(arrays, style):
    """Return the shapes of arguments; with several states they are the last axis."""
    lanes = [style.lanes] * (style.lanes > 1)
    return {name: [*shape, *lanes] for name, shape in arrays.items()}


def manifest(model, digest, emitted, style):
    """Return the manifest of the package for programs, as JSON.

    `digest`: SHA-256 of the description, in hexadecimal.
    """
    functions = {
        each.function(one.name): {
            'quantity': one.quantity,
            'subject': one.subject,
            'lanes': each.lanes,
            'arguments': _shapes(one.recording.inputs, each),
            'results': _shapes(one.recording.outputs, each),
            'operations': one.recording.counts(),
            'recorded_from': one.recording.origin,
        }
        for each in styles(style)
        for one in emitted
    }
    contents = {
        'robot': model.name,
        'urdf_sha256': digest,
        'interface_version': INTERFACE,
        'prefix': style.prefix,
        'language': style.language,
        'real': style.real,
        'lanes': style.lanes,
        'joint_names': list(model.joint_names),
        'position_names': list(model.position_names),
        'all_position_names': list(model.all_position_names),
        'frames': _frames(emitted),
        'payloads': _payloads(emitted),
        'base': model.body_names[0],
        'gravity': [float(g) for g in model.gravity],
        'units': UNITS,
        'matrices': 'row-major; linear parts before angular ones',
        'status': STATUS,
        'functions': functions,
        'printed_by': f'robodyn_ros {metadata.version("robodyn_ros")}',
    }
    return json.dumps(contents, indent=2) + '\n'
