# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""The tools that benchmark/dynamics/emitted.py compares, each as functions of one form.

A tool is a function of a folder, the text of a URDF and its number of joints. It returns Made:
object files with functions `void <tool>_<quantity>(const double *x, double *out)`. The argument x
is (q, qd, qdd or tau), out is the result. Derivatives are three row-major matrices: by q, by qd,
and by qdd or tau.
"""

import atexit
import functools
import os
import re
import shutil
import subprocess
import tempfile
import textwrap
from dataclasses import dataclass, field
from pathlib import Path

from robodyn_ros.codegen.emission import c_package, c_selection, c_templates
from robodyn_ros.codegen.emission.emit_c import Style
from robodyn_ros.errors import ModelError
from robodyn_ros.model import build, urdf

QUANTITIES = (
    'inverse_dynamics',
    'forward_dynamics',
    'inverse_dynamics_derivatives',
    'forward_dynamics_derivatives',
)
FLAGS = ('-O3', '-march=native', '-DNDEBUG', '-w')
#: Longest compile time of one file [s]. No user would wait longer.
PATIENCE = 600


@dataclass
class Made:
    """Functions by (tool, quantity), object files with them, and flags of the linker."""

    functions: list[tuple[str, str]]
    objects: list[Path]
    flags: list[str] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)


def without_friction(text):
    """Return a description without joint friction and damping, which only some tools count."""
    return re.sub(r'<dynamics[^>]*/>', '', text)


def package_options(source):
    """Return the options that the CMake package of emitted code has for a source."""
    shrunk = (c_templates.SHRUNK,) * c_package.is_short(source.read_text())
    return (c_templates.RENAMED, *shrunk, *spills())


@functools.cache
def spills():
    """Return the option for the registers of x86, if the compiler has it."""
    done = subprocess.run(['gcc', c_templates.SPILLS, '-E', '-'], input=b'', capture_output=True,
                          check=False)  # fmt: skip
    return () if done.returncode else (c_templates.SPILLS,)


def compiled(source, target, *flags, compiler='gcc'):
    """Compile one file, with the options that the package of emitted code has."""
    done = subprocess.run(
        [compiler, *FLAGS, *package_options(Path(source)), *flags, '-c', source, '-o', target],
        capture_output=True,
        text=True,
        timeout=PATIENCE,
        check=False,
    )
    if done.returncode:
        raise FileNotFoundError(f'{source} does not compile: {done.stderr[:300]}')
    return target


def ours(folder, text, joints):
    """Make the code that `robodyn_ros emit` prints."""
    model = build.build(urdf.parse(text))
    found, notes, style = [], [], Style('arm')
    for quantity in QUANTITIES:
        chosen = c_selection.selected_functions(model, (quantity,))
        try:
            found += c_selection.record_all(model, chosen)
        except ModelError as error:  # too long
            notes.append(str(error))
    c_package.write(folder, c_package.files(model, text, found, style))
    lines = ['#include "arm_dynamics/arm_dynamics.h"']
    for one in found:
        out = ', '.join(f'out + {k * joints**2}' for k in range(len(one.recording.outputs)))
        lines.append(
            f'void ours_{one.name}(const double *x, double *out)\n'
            f'{{ arm_{one.name}(x, x + {joints}, x + {2 * joints}, {out}); }}'
        )
    (folder / 'src' / 'wrapped.c').write_text('\n'.join(lines) + '\n')
    sources = [folder / 'src' / f'{name}.c' for name in (*(one.name for one in found), 'wrapped')]
    objects = [
        compiled(source, source.with_suffix('.o'), '-std=c99', '-ffp-contract=fast', '-I',
                 folder / 'include')
        for source in sources
    ]  # fmt: skip
    return Made([('ours', one.name) for one in found], objects, notes=notes)


def urdf2casadi(folder, text, joints):
    """Make the C code of the recursions of urdf2casadi, with derivatives by CasADi."""
    import casadi as ca
    from urdf2casadi import urdfparser

    parser = urdfparser.URDFparser({'jit': False})
    parser.from_string(text)
    model = build.build(urdf.parse(text))
    ends, gravity = (model.body_names[0], model.body_names[-1]), [0.0, 0.0, -9.81]
    x = ca.SX.sym('x', 3 * joints)
    given = ca.vertsplit(x, joints)
    made = Made([], [])
    for name, make in (
        ('inverse_dynamics', parser.get_inverse_dynamics_rnea),
        ('forward_dynamics', parser.get_forward_dynamics_aba),
    ):
        value = make(*ends, gravity=gravity)(*given)
        _generated(ca, made, folder, name, x, value)
        slopes = ca.horzsplit(ca.jacobian(value, x), joints)
        rows = ca.vertcat(*(ca.vec(ca.densify(part).T) for part in slopes))
        _generated(ca, made, folder, f'{name}_derivatives', x, rows)
    return made


def _generated(ca, made, folder, quantity, x, value):
    """Add one function as compiled C code of CasADi."""
    name = f'urdf2casadi_{quantity}'
    function = ca.Function(f'{name}_', [x], [ca.densify(value)])
    if function.n_instructions() > 100_000:
        made.notes.append(f'{name} takes {function.n_instructions()} statements: not compiled')
        return
    here = Path.cwd() / f'{name}.c'
    function.generate(here.name, {'with_header': False})
    source = folder / here.name
    source.write_text(
        here.read_text()
        + textwrap.dedent(f"""
        void {name}(const double *x, double *out)
        {{
            const double *given[1] = {{x}};
            double *result[1] = {{out}};
            static casadi_int whole[{max(1, function.sz_iw())}];
            static double work[{max(1, function.sz_w())}];
            {name}_(given, result, whole, work, 0);
        }}
        """)
    )
    here.unlink()
    try:
        made.objects.append(compiled(source, source.with_suffix('.o')))
        made.functions.append(('urdf2casadi', quantity))
    except subprocess.TimeoutExpired:
        made.notes.append(f'{name} was not compiled within {PATIENCE} s')


PINOCCHIO = """\
#include <pinocchio/multibody.hpp>
#include <pinocchio/serialization.hpp>
#include <pinocchio/algorithm/rnea.hpp>
#include <pinocchio/algorithm/aba.hpp>
#include <pinocchio/algorithm/rnea-derivatives.hpp>
#include <pinocchio/algorithm/aba-derivatives.hpp>

using namespace pinocchio;
typedef Eigen::Map<const Eigen::VectorXd> In;
typedef Eigen::Map<Eigen::VectorXd> Out;
typedef Eigen::Map<Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>> Rows;
extern "C" const char *const pinocchio_model;
static Model model;
static Data *data;
static int n;

extern "C" void pinocchio_open(void)
{
    model.loadFromText(pinocchio_model);
    data = new Data(model);
    n = model.nv;
}

extern "C" void pinocchio_inverse_dynamics(const double *x, double *out)
{
    Out(out, n) = rnea(model, *data, In(x, n), In(x + n, n), In(x + 2 * n, n));
}

extern "C" void pinocchio_forward_dynamics(const double *x, double *out)
{
    Out(out, n) = aba(model, *data, In(x, n), In(x + n, n), In(x + 2 * n, n));
}

extern "C" void pinocchio_inverse_dynamics_derivatives(const double *x, double *out)
{
    computeRNEADerivatives(model, *data, In(x, n), In(x + n, n), In(x + 2 * n, n));
    Rows(out, n, n) = data->dtau_dq;
    Rows(out + n * n, n, n) = data->dtau_dv;
    Rows(out + 2 * n * n, n, n) = data->M.selfadjointView<Eigen::Upper>();
}

extern "C" void pinocchio_forward_dynamics_derivatives(const double *x, double *out)
{
    computeABADerivatives(model, *data, In(x, n), In(x + n, n), In(x + 2 * n, n));
    Rows(out, n, n) = data->ddq_dq;
    Rows(out + n * n, n, n) = data->ddq_dv;
    Rows(out + 2 * n * n, n, n) = data->Minv.selfadjointView<Eigen::Upper>();
}
"""
#: Limits of Boost that Pinocchio's list of joint types needs.
BOOST = (
    '-DBOOST_MPL_LIMIT_LIST_SIZE=30',
    '-DBOOST_MPL_LIMIT_VECTOR_SIZE=30',
    '-DBOOST_MPL_CFG_NO_PREPROCESSED_HEADERS',
    '-DBOOST_FUSION_INVOKE_MAX_ARITY=12',
)
#: Where a system has the headers of Eigen.
EIGEN = Path('/usr/include/eigen3')


def pinocchio(folder, text, joints):
    """Compile Pinocchio's C++ templates from the headers of its wheel."""
    import pinocchio as pin

    kept, source = folder / 'model.txt', folder / 'model.c'
    pin.buildModelFromXML(text).saveToText(str(kept))
    source.write_text(f'const char *const pinocchio_model = "{kept}";\n')
    root = _root(pin)
    library = root / 'lib'
    flags = [f'-L{library}', '-lpinocchio_default', '-lboost_serialization']
    return Made(
        [('pinocchio', quantity) for quantity in QUANTITIES],
        [_templates(root), compiled(source, folder / 'model.o')],
        [*flags, f'-Wl,-rpath,{library}'],
    )


def _root(pin):
    """Return the folder of headers and libraries in the wheel of Pinocchio."""
    return next(path for path in Path(pin.__file__).parents if path.name == 'cmeel.prefix')


def _headers(root):
    """Return the flags for headers of Pinocchio and Eigen."""
    places = root / 'include' / 'eigen3', Path(os.environ.get('EIGEN3_INCLUDE_DIR', EIGEN))
    eigen = next((place for place in places if place.is_dir()), None)
    if eigen is None:
        raise FileNotFoundError('no headers of Eigen: pip install cmeel-eigen')
    return '-I', root / 'include', '-I', eigen


def _scratch_folder():
    """Return a new folder, which is removed when the process ends."""
    folder = Path(tempfile.mkdtemp())
    atexit.register(shutil.rmtree, folder)
    return folder


@functools.cache
def _templates(root):
    """Compile the templates once for all robots, in minutes and 3 GB of memory."""
    source = _scratch_folder() / 'pinocchio.cpp'
    source.write_text(PINOCCHIO)
    return compiled(source, source.with_suffix('.o'), '-std=c++17', *BOOST, *_headers(root),
                    compiler='g++')  # fmt: skip


GENERATOR = """\
#include <cppad/cg.hpp>
#include <cppad/cppad.hpp>
#include <pinocchio/codegen/cppadcg.hpp>
#include <pinocchio/autodiff/cppad.hpp>
#include <pinocchio/multibody.hpp>
#include <pinocchio/serialization.hpp>
#include <pinocchio/algorithm/rnea.hpp>
#include <pinocchio/algorithm/aba.hpp>
#include <pinocchio/algorithm/rnea-derivatives.hpp>
#include <pinocchio/algorithm/aba-derivatives.hpp>

using namespace pinocchio;
using namespace CppAD::cg;
typedef CppAD::AD<CG<double>> Number;
typedef Eigen::Matrix<Number, Eigen::Dynamic, 1> Column;
typedef Eigen::Matrix<Number, Eigen::Dynamic, Eigen::Dynamic> Square;

int main(int, char **arguments)
{
    const std::string quantity = arguments[2];
    Model read;
    read.loadFromText(arguments[1]);
    const ModelTpl<Number> model = read.cast<Number>();
    DataTpl<Number> data(model);
    const int n = read.nv;
    Column x = Column::Constant(3 * n, Number(0.3)), y;
    CppAD::Independent(x);
    const Column q = x.head(n), v = x.segment(n, n), last = x.tail(n);
    if (quantity == "inverse_dynamics") {
        y = rnea(model, data, q, v, last);
    } else if (quantity == "forward_dynamics") {
        y = aba(model, data, q, v, last, Convention::LOCAL);
    } else {
        Square parts[3];
        if (quantity == "inverse_dynamics_derivatives") {
            computeRNEADerivatives(model, data, q, v, last);
            parts[0] = data.dtau_dq, parts[1] = data.dtau_dv, parts[2] = data.M;
        } else {
            computeABADerivatives(model, data, q, v, last);
            parts[0] = data.ddq_dq, parts[1] = data.ddq_dv, parts[2] = data.Minv;
        }
        parts[2].triangularView<Eigen::StrictlyLower>() = parts[2].transpose();
        y.resize(3 * n * n);
        for (int k = 0; k < 3 * n * n; ++k) {
            y[k] = parts[k / (n * n)](k / n % n, k % n);
        }
    }
    CppAD::ADFun<CG<double>> function(x, y);
    function.optimize("no_compare_op");
    ModelCSourceGen<double> source(function, "cppadcodegen_" + quantity);
    source.setCreateForwardZero(true);
    source.setMaxAssignmentsPerFunc(1000000);
    ModelLibraryCSourceGen<double> library(source);
    SaveFilesModelLibraryProcessor<double>(library).saveSourcesTo(arguments[3]);
}
"""


def cppadcodegen(folder, text, joints):
    """Make the C code that CppADCodeGen writes for Pinocchio's templates."""
    import pinocchio as pin

    kept = folder / 'model.txt'
    pin.buildModelFromXML(text).saveToText(str(kept))
    generator, made = _generator(_root(pin)), Made([], [])
    for quantity in QUANTITIES:
        name = f'cppadcodegen_{quantity}'
        source = folder / f'{name}_forward_zero.c'
        try:
            subprocess.run([generator, kept, quantity, folder], check=True, timeout=PATIENCE)
            with source.open('a') as file:
                file.write(
                    f'void {name}(const double *x, double *out)\n'
                    '{ struct LangCAtomicFun none = {0};\n'
                    f'  {name}_forward_zero(&x, &out, none); }}\n'
                )
            made.objects.append(compiled(source, source.with_suffix('.o')))
            made.functions.append(('cppadcodegen', quantity))
        except subprocess.TimeoutExpired:
            made.notes.append(f'{name} was not compiled within {PATIENCE} s')
    return made


@functools.cache
def _generator(root):
    """Compile the program that writes the code, once for all robots, in minutes."""
    prefix = os.environ.get('CPPADCG_PREFIX')
    if prefix is None:
        raise FileNotFoundError('CPPADCG_PREFIX names no place of CppAD and CppADCodeGen')
    source = _scratch_folder() / 'generator.cpp'
    source.write_text(GENERATOR)
    compiled(source, source.with_suffix('.o'), '-O1', '-std=c++17', *BOOST, '-I',
             Path(prefix) / 'include', *_headers(root), compiler='g++')  # fmt: skip
    program, places = source.with_suffix(''), (root / 'lib', Path(prefix) / 'lib')
    subprocess.run(
        ['g++', source.with_suffix('.o'), '-o', program]
        + [f'-L{place}' for place in places]
        + [f'-Wl,-rpath,{place}' for place in places]
        + ['-lpinocchio_default', '-lboost_serialization', '-lcppad_lib', '-ldl'],
        check=True,
    )
    return program


PEERS = (ours, urdf2casadi, cppadcodegen, pinocchio)
