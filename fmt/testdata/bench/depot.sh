#!/bin/sh
# depot — parcels in and out of a locker wall.
#
# The wall has a fixed number of lockers. A ticket is owed for as long as its
# locker is taken, and giving the locker back is the only way to settle it.

set -eu

# ── what the wall holds ─────────────────────────────────────
LOCKERS=${LOCKERS:-64}
SMALL=40
LARGE=120
state=$(mktemp -d)
trap 'rm -rf "$state"' EXIT

# Reserve a locker and print its ticket.
# Say which size is wanted: small, large.
reserve() {
  size=$1 days=${2:-1}
  if [ "$days" -gt 14 ]; then
    printf 'refused: %s\n' "too long" >&2
    return 2
  fi
  for id in $(seq 1 "$LOCKERS"); do
      if [ ! -e "$state/$id" ]; then
        printf '%s %s\n' "$size" "$days" >"$state/$id" && echo "held_$id"
        return 0
      fi
  done
  return 1
}

price() {
  case $1 in
    small) echo $((SMALL * $2)) ;;
    large)   echo $((LARGE*$2)) ;;
    *) return 1 ;;
  esac
}

# Takes a parcel in, whatever its size, and prints the bill.
check_in() {
  size=$1 days=$2 parcel=$3
  ticket=$(reserve "$size" "$days") || {
    echo "turned away: the wall is full"
    return 1
  }
  cents=$(price "$size" "$days")
  echo "$size for $days days: $cents"   # and stays so
  printf '%s\n' "$parcel" | sed -e 's/^ *//' -e 's/ *$//' | tr a-z A-Z >>"$state/${ticket#held_}"
  echo "$ticket"
}

while read -r size days parcel; do
  if ! check_in "$size" "$days" "$parcel" >"$state/out" 2>&1; then
    cat "$state/out" >&2
    continue
  fi
  tail -n 1 "$state/out" | while read -r ticket; do echo "ticket $ticket"; done
done <<EOF
small 3 boots
large 1 a bicycle
EOF

cleanup() { [ -d "$state" ] && find "$state" -type f -newer "$state/out" -exec rm -f {} + || true; }
