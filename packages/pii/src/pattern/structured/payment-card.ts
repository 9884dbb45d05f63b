import type { Span } from '../../span.ts'
import { passesLuhn } from './checksums.ts'
import { listNumbers } from './digit-groups.ts'

const SHORTEST = 13
const LONGEST = 19

/** A number with the length, the first digits and the check of a payment card, in groups or not. */
export function matchPaymentCard(text: string, at: number): Span | undefined {
  return listNumbers(text, at, LONGEST).find(
    ({ digits }) => digits.length >= SHORTEST && isIssued(digits) && passesLuhn(digits),
  )
}

/** Whether cards of these first digits and this length are issued; test numbers of zeros only are not. */
function isIssued(digits: string): boolean {
  const first = Number(digits.charAt(0))
  const two = Number(digits.slice(0, 2))
  const four = Number(digits.slice(0, 4))
  if (first === 4) return digits.length === 13 || digits.length === 16 || digits.length === 19
  if ((two >= 51 && two <= 55) || (four >= 2221 && four <= 2720)) return digits.length === 16
  if (two === 34 || two === 37) return digits.length === 15
  if (two === 36 || two === 38 || two === 39 || two === 30) return digits.length >= 14
  if (two === 35 || two === 62 || two === 64 || two === 65 || four === 6011) return digits.length >= 16
  return (two === 50 || (two >= 56 && two <= 63) || (two >= 66 && two <= 69)) && digits.length >= SHORTEST
}
