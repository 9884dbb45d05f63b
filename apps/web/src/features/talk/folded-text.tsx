import { Folded } from '../../components/ui/folded.tsx'
import { ScrollRegion } from '../../components/ui/scroll-region.tsx'
import { layOutJson } from '../../lib/lay-out-json.ts'

/** Characters that are drawn of a long text. */
const SHOWN = 20_000
/** Characters of the folded line. */
const LINE = 120

/** A text in one line that opens to all of it; JSON is laid out. */
export function FoldedText({ label, text }: { readonly label: string; readonly text: string }) {
  return (
    <Folded line={`${label}: ${text.slice(0, LINE)}`}>
      {() => <ScrollRegion as="pre">{layOutJson(text).slice(0, SHOWN)}</ScrollRegion>}
    </Folded>
  )
}
