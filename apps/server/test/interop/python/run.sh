#!/bin/sh
# The runtime lies in the folder, as in any installed backend; exec keeps process and group the host's own.
here=$(dirname "$0")
exec "$here/python" "$here/backend.py" "$@"
