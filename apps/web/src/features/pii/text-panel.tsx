import { useEffect, useMemo, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { Button } from '../../components/ui/button.tsx'
import { ScrollRegion } from '../../components/ui/scroll-region.tsx'
import { Segmented } from '../../components/ui/segmented.tsx'
import { formatNumber } from '../../lib/format.ts'
import type { Outcome } from './api.ts'
import { buildByteTable } from './byte-offsets.ts'
import { countTypes, cutAtSpans, joinOverlaps } from './findings.ts'
import * as styles from './pii.module.css'
import { ACTION_CLASSES, createColours, type TypeColours } from './type-colours.ts'

/** The text: to edit, and after a run with its findings marked. */
export function TextPanel({
  text,
  onText,
  outcome,
  onRun,
}: {
  readonly text: string
  readonly onText: (text: string) => void
  readonly outcome: Outcome | undefined
  readonly onRun: () => void
}) {
  const { t } = useTranslation('pii')
  const [view, setView] = useState<'edit' | 'marked'>('edit')
  useEffect(() => {
    if (outcome !== undefined) setView('marked')
  }, [outcome])
  const size = useMemo(() => buildByteTable(text).byteLength, [text])
  const isMarked = view === 'marked' && outcome !== undefined && outcome.text === text
  return (
    <section
      className={styles.textPanel}
      aria-labelledby="pii-text-head"
      onKeyDown={(event) => {
        if (event.key !== 'Enter' || !(event.ctrlKey || event.metaKey)) return
        event.preventDefault()
        onRun()
      }}
    >
      <header className="row">
        <h2 id="pii-text-head">{t('text')}</h2>
        {outcome !== undefined && outcome.text === text && (
          <Segmented
            small
            label={t('view')}
            value={view}
            options={[
              ['edit', t('edit')],
              ['marked', t('marked')],
            ]}
            onChange={setView}
          />
        )}
        {text === '' && (
          <Button small kind="ghost" icon="file" onClick={() => onText(t('sampleText'))}>
            {t('sample')}
          </Button>
        )}
        <span className="meta push">
          {t('size', { characters: formatNumber([...text].length), bytes: formatNumber(size) })}
        </span>
      </header>
      {isMarked ? (
        <MarkedText outcome={outcome} />
      ) : (
        <textarea
          className={styles.editor}
          aria-labelledby="pii-text-head"
          placeholder={t('placeholder')}
          spellCheck={false}
          value={text}
          onChange={({ target }) => onText(target.value)}
        />
      )}
      {isMarked && <Legend outcome={outcome} />}
    </section>
  )
}

function MarkedText({ outcome: { text, findings } }: { readonly outcome: Outcome }) {
  const { t } = useTranslation('pii')
  const colours = createColours(findings)
  const pieces = cutAtSpans(text, joinOverlaps(findings))
  return (
    <ScrollRegion as="div" className={`${styles.editor} ${styles.marked}`} role="region" aria-label={t('markedText')}>
      {pieces.map(({ start, text: part, span }) => {
        if (span === undefined) return <span key={start}>{part}</span>
        const { winner, losers } = span
        return (
          <mark key={start} className={`${colours.get(winner.type)} ${ACTION_CLASSES[winner.action] ?? ''}`}>
            {part}
            <sup>
              {winner.type} · {t(`action.${winner.action}`)}
              {losers.length > 0 && ` · ${t('over', { types: losers.map(({ type }) => type).join(', ') })}`}
            </sup>
          </mark>
        )
      })}
    </ScrollRegion>
  )
}

function Legend({ outcome: { findings } }: { readonly outcome: Outcome }) {
  const colours: TypeColours = createColours(findings)
  return (
    <footer className={`row wrap ${styles.legend}`}>
      {[...countTypes(findings)].map(([type, count]) => (
        <span key={type} className={`${styles.type} ${colours.get(type)}`}>
          {type} {formatNumber(count)}
        </span>
      ))}
    </footer>
  )
}
