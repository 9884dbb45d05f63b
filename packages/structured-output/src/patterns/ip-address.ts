const OCTET = /^(?:25[0-5]|2[0-4]\d|1\d\d|[1-9]?\d)$/
const GROUP = /^[0-9a-fA-F]{1,4}$/

/** Whether a text is an IPv4 address in dotted decimal notation (RFC 2673, 3.2). */
export function isIpv4(text: string): boolean {
  const parts = text.split('.')
  return parts.length === 4 && parts.every((part) => OCTET.test(part))
}

/** Whether a text is an IPv6 address without a zone (RFC 4291, 2.2). */
export function isIpv6(text: string): boolean {
  const halves = text.split('::')
  if (halves.length > 2) return false
  const counts = halves.map((half, index) => countGroups(half, index === halves.length - 1))
  const [first = Number.NaN, second] = counts
  return second === undefined ? first === 8 : first + second <= 7
}

/** 16-bit groups of a half; NaN where it is malformed. Only the last half may end in an IPv4 address. */
function countGroups(half: string, isLast: boolean): number {
  if (half === '') return 0
  const parts = half.split(':')
  const [last = ''] = parts.slice(-1)
  const isMixed = isLast && isIpv4(last)
  const groups = isMixed ? parts.slice(0, -1) : parts
  return groups.every((part) => GROUP.test(part)) ? groups.length + (isMixed ? 2 : 0) : Number.NaN
}
