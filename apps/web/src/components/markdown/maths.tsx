import { memo, Suspense } from 'react'
import { lazyPart } from '../../lib/lazy-part.ts'

/** The part that sets formulas loads with the first one that is seen. */
const Formula = lazyPart(async () => (await import('./formula.tsx')).Formula)

/** A formula; until the part that sets it has loaded, its text. @param text with its marks */
export const Maths = memo(function Maths({ text, isDisplay }: { readonly text: string; readonly isDisplay: boolean }) {
  return (
    <Suspense fallback={text}>
      <Formula text={text} isDisplay={isDisplay} />
    </Suspense>
  )
})
