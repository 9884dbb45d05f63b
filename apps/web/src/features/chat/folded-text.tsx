import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { Button } from '../../components/ui/button.tsx'
import { Folded } from '../../components/ui/folded.tsx'
import { ScrollRegion } from '../../components/ui/scroll-region.tsx'
import { formatNumber } from '../../lib/format.ts'
import { layOutJson } from '../../lib/lay-out-json.ts'

/** Characters of a long text that are drawn at first. */
const SHOWN = 20_000
/** Characters of the folded line. */
const LINE = 200

/** A text in one line that opens to all of it; JSON is laid out. */
export function FoldedText({ label, text }: { readonly label: string; readonly text: string }) {
  return <Folded line={`${label}: ${text.slice(0, LINE)}`}>{() => <LongText text={text} />}</Folded>
}

/** A text in its own box, JSON laid out; a long one is drawn up to a limit, and on request as a whole. */
export function LongText({ text }: { readonly text: string }) {
  const { t } = useTranslation('chat')
  const [isWhole, setWhole] = useState(false)
  const laidOut = layOutJson(text)
  const isLong = laidOut.length > SHOWN && !isWhole
  return (
    <>
      <ScrollRegion as="pre">{isLong ? laidOut.slice(0, SHOWN) : laidOut}</ScrollRegion>
      {isLong && (
        <Button small kind="ghost" onClick={() => setWhole(true)}>
          {t('tools.showAll', { count: laidOut.length, size: formatNumber(laidOut.length) })}
        </Button>
      )}
    </>
  )
}
