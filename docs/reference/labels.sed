# SPDX-License-Identifier: Apache-2.0
# What doxygen reads of a header: a label at the beginning of a line of a public comment heads a paragraph (\label is an
# alias in docs/Doxyfile).
s#^( *///) (Errors|Thrown|Suspends|Visibility|Cost|Source|Scans):#\1 \\label{\2}#
# Errors that are named become links; lines of commands stay as they are.
\#^ *///.*\\(snippet|ingroup)#b
\#^ *///#s#(^|[ (;])([a-z]+_error|broken_promise|multiple_exceptions)\b#\1\\ref tactus::\2 "\2"#g
