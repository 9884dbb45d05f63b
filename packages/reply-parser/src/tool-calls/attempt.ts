/** Result of reading a text that may be a call. Offsets count from the cursor's mark. */
export type Attempt =
  | { readonly kind: 'call' }
  /** Text, in which another call may begin at or behind `from`. */
  | { readonly kind: 'text'; readonly from: number }
  /** A list with a fault. Its items are read one by one from `at`. */
  | { readonly kind: 'broken-list'; readonly at: number }

export const CALL: Attempt = { kind: 'call' }

export function toText(from: number): Attempt {
  return { kind: 'text', from }
}
