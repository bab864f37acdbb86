# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""Templates for those files of an emitted package that need only names of the robot.

robodyn_ros.codegen.emission.c_package replaces the placeholders `@name@`.
"""

#: Cosine and sine by the reduction and the polynomials of robodyn_ros.compile.simd.trigonometry.
INTERNAL = """\
/* Shared by the functions of this package; not a public header. */
#ifndef @PREFIX@_INTERNAL_H
#define @PREFIX@_INTERNAL_H

#include <@math@>
#include <@stdint@>
#include <@string@>

#if defined(__FAST_MATH__) || (defined(__FINITE_MATH_ONLY__) && __FINITE_MATH_ONLY__ > 0)
#error "compile without -ffast-math: the code relies on the order of operations and checks of NaN"
#endif

#if defined(__GNUC__)
#define @PREFIX@_NOINLINE __attribute__((noinline))
#else
#define @PREFIX@_NOINLINE
#endif

/* Rounds a product, so that the compiler does not fuse it with each of two sums. */
#if defined(__GNUC__) && defined(__x86_64__)
#define @PREFIX@_ROUNDED(x) __asm__("" : "+x"(x))
#else
#define @PREFIX@_ROUNDED(x) ((void)0)
#endif
@open@@lanes@
#if defined(@PREFIX@_LIBM) || @is_float@
/* Cosine and sine of n angles q + shift, or q if shift is NULL, by the C library. */
static inline void @prefix@cosines_and_sines(
    int n, const @real@ *@restrict@ q, const @real@ *@restrict@ shift,
    @real@ *@restrict@ cosine, @real@ *@restrict@ sine)
{
    for (int k = 0; k < n; ++k) {
        const @real@ x = shift ? q[k] + shift[k] : q[k];
        cosine[k] = @cos@(x);
        sine[k] = @sin@(x);
    }
}
#else
/* Cosine and sine of n angles [rad], within one unit in the last place.
 *
 * Angles are q + shift, or q if shift is NULL; a shift of -0.0 changes nothing. They are reduced
 * to y + rest by multiples of pi/2 in three parts. The polynomials are those of fdlibm (Sun
 * Microsystems 1993, k_sin.c and k_cos.c). If one angle is beyond 1e5 rad, the C library computes
 * all.
 */
static inline void @prefix@cosines_and_sines(
    int n, const double *@restrict@ q, const double *@restrict@ shift,
    double *@restrict@ cosine, double *@restrict@ sine)
{
    const double nearest = 6755399441055744.0; /* adding and subtracting it rounds */
    uint64_t large = 0; /* its first bit: whether the digits of an angle are beyond those of 1e5 */
    for (int k = 0; k < n; ++k) {
        const double x = shift ? q[k] + shift[k] : q[k];
        uint64_t digits;
        memcpy(&digits, &x, sizeof digits);
        large |= (digits & 0x7FFFFFFFFFFFFFFFU) + 0x3F0795FFFFFFFFFFU;
    }
    if ((large >> 63) != 0) {
        for (int k = 0; k < n; ++k) {
            const double x = shift ? q[k] + shift[k] : q[k];
            cosine[k] = @cos@(x);
            sine[k] = @sin@(x);
        }
        return;
    }
    for (int k = 0; k < n; ++k) {
        const double x = shift ? q[k] + shift[k] : q[k];
        const double shifted = x * 0.6366197723675814 + nearest;
        const double quarters = shifted - nearest;
        const double first = x - quarters * 1.57079632673412561417e+00;
        const double middle = quarters * 6.07710050630396597660e-11;
        const double last = quarters * 2.02226624879595063154e-21;
        const double second = first - middle;
        const double y = second - last;
        const double rest = (second - y - last) + (first - second - middle);
        const double yy = y * y;
        const double y4 = yy * yy;
        double s = (1.58969099521155010221e-10 * yy + -2.50507602534068634195e-08) * y4
            + (2.75573137070700676789e-06 * yy + -1.98412698298579493134e-04);
        s = s * y4 + (8.33333333332248946124e-03 * yy + -1.66666666666666324348e-01);
        s = y + (y * yy * s + rest);
        double c = (-1.13596475577881948265e-11 * yy + 2.08757232129817482790e-09) * y4
            + (-2.75573143513906633035e-07 * yy + 2.48015872894767294178e-05);
        c = c * y4 + (-1.38888888888741095749e-03 * yy + 4.16666666666666019037e-02);
        const double half = 0.5 * yy;
        const double head = 1.0 - half;
        c = head + ((1.0 - head - half) + (y4 * c - y * rest));
        uint64_t quadrant;
        memcpy(&quadrant, &shifted, sizeof quadrant);
        const uint64_t odd = (uint64_t)0 - (quadrant & 1U);
        uint64_t of_cosine;
        uint64_t of_sine;
        memcpy(&of_cosine, &c, sizeof c);
        memcpy(&of_sine, &s, sizeof s);
        const uint64_t other = (of_cosine ^ of_sine) & odd;
        of_cosine = (of_cosine ^ other) ^ ((quadrant + 1U) << 62 & 0x8000000000000000U);
        of_sine = (of_sine ^ other) ^ (quadrant << 62 & 0x8000000000000000U);
        memcpy(&cosine[k], &of_cosine, sizeof of_cosine);
        memcpy(&sine[k], &of_sine, sizeof of_sine);
    }
}
#endif
@tangents@@close@
#endif
"""

#: For laws with Coulomb friction.
TANGENTS = """
/* Hyperbolic tangents of n numbers, by the C library. */
static inline void @prefix@hyperbolic_tangents(
    int n, const @real@ *@restrict@ x, @real@ *@restrict@ tangent)
{
    for (int k = 0; k < n; ++k) {
        tangent[k] = @tanh@(x[k]);
    }
}
"""

#: For functions of several states.
LANES = """
/* @count@ numbers in vector registers, and in memory of any alignment. */
typedef @real@ @own@ __attribute__((vector_size(@bytes@)));
typedef @real@ @own@_memory __attribute__((vector_size(@bytes@), aligned(@align@), may_alias));
#define @PREFIX@_LOAD_X@count@(array, k) (*(const @own@_memory *)&(array)[@count@ * (k)])
#define @PREFIX@_STORE_X@count@(array, k, value) \\
    (*(@own@_memory *)&(array)[@count@ * (k)] = (value))
"""

#: Options of GCC by which fewer numbers leave their registers. The second one is for sources of up
#: to SHORT lines, as longer ones are faster without.
RENAMED, SHRUNK, SHORT = '-frename-registers', '-flive-range-shrinkage', 10_000
#: Option of GCC for x86 that keeps numbers without a register in memory.
SPILLS = '-mtune-ctrl=^inter_unit_moves_from_vec'

CMAKE = """\
# @package@: dynamics of the robot @robot@, printed by robodyn_ros; not meant to be edited.
cmake_minimum_required(VERSION 3.16)
project(@package@ VERSION 1.0.0 LANGUAGES @LANGUAGE@)

if(NOT CMAKE_BUILD_TYPE AND NOT CMAKE_CONFIGURATION_TYPES)
  set(CMAKE_BUILD_TYPE Release CACHE STRING "Debug or Release" FORCE)
endif()
option(BUILD_SHARED_LIBS "Build a shared library" OFF)
option(@PREFIX@_CONTRACT "Allow fused multiply-adds where the processor has them" ON)
option(@PREFIX@_LIBM "Use cosine and sine of the C library" OFF)
option(@PREFIX@_NATIVE "Compile for the processor of this machine" OFF)
option(BUILD_TESTING "Build the self-test and the timing program" ON)

include(CMakePackageConfigHelpers)
include(GNUInstallDirs)
add_library(@package@
  @sources@)
add_library(@package@::@package@ ALIAS @package@)
set_target_properties(@package@ PROPERTIES
  @standard@
  POSITION_INDEPENDENT_CODE ON)
target_include_directories(@package@ PUBLIC
  $<BUILD_INTERFACE:${CMAKE_CURRENT_SOURCE_DIR}/include>
  $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}>)
if(@PREFIX@_LIBM)
  target_compile_definitions(@package@ PRIVATE @PREFIX@_LIBM)
endif()
if(NOT MSVC)
  target_compile_options(@package@ PRIVATE
    $<IF:$<BOOL:${@PREFIX@_CONTRACT}>,-ffp-contract=fast,-ffp-contract=off>
    $<$<BOOL:${@PREFIX@_NATIVE}>:-march=native>)
endif()
if(CMAKE_@LANGUAGE@_COMPILER_ID STREQUAL "GNU")
  target_compile_options(@package@ PRIVATE @renamed@)
  set_source_files_properties(@short@
    PROPERTIES COMPILE_OPTIONS @shrunk@)
  # on x86 GCC would move numbers to integer registers and back, which takes longer than memory
  include(Check@LANGUAGE@CompilerFlag)
  check_@LANGUAGE@_compiler_flag(@spills@ @PREFIX@_SPILLS_TO_MEMORY)
  if(@PREFIX@_SPILLS_TO_MEMORY)
    target_compile_options(@package@ PRIVATE @spills@)
  endif()
endif()
if(UNIX)
  target_link_libraries(@package@ PUBLIC m)
endif()

install(TARGETS @package@ EXPORT @package@ ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR}
  LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR} RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
install(DIRECTORY include/ DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})
install(FILES manifest.json package.xml DESTINATION ${CMAKE_INSTALL_DATADIR}/@package@)
install(EXPORT @package@ FILE @package@Config.cmake NAMESPACE @package@::
  DESTINATION ${CMAKE_INSTALL_LIBDIR}/cmake/@package@)
write_basic_package_version_file(${PROJECT_BINARY_DIR}/@package@ConfigVersion.cmake
  COMPATIBILITY SameMajorVersion)
install(FILES ${PROJECT_BINARY_DIR}/@package@ConfigVersion.cmake
  DESTINATION ${CMAKE_INSTALL_LIBDIR}/cmake/@package@)

if(BUILD_TESTING)
  enable_testing()
  add_executable(@name@_check test/check.@ext@)
  target_link_libraries(@name@_check PRIVATE @package@)
  set_target_properties(@name@_check PROPERTIES @standard@)
  add_test(NAME known_answers COMMAND @name@_check)
  if(UNIX)
    add_executable(@name@_timing test/timing.@ext@)
    target_link_libraries(@name@_timing PRIVATE @package@)
    set_target_properties(@name@_timing PROPERTIES @standard@)
  endif()
endif()
"""

PACKAGE_XML = """\
<?xml version="1.0"?>
<package format="3">
  <name>@package@</name>
  <version>1.0.0</version>
  <description>Dynamics of the robot @robot@ as straight-line code</description>
  <maintainer email="maintainers@example.com">printed by robodyn_ros</maintainer>
  <license>Apache-2.0</license>
  <buildtool_depend>cmake</buildtool_depend>
  <export>
    <build_type>cmake</build_type>
  </export>
</package>
"""
