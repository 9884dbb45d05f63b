import { useEffect, useMemo } from 'react'
import { useTranslation } from 'react-i18next'
import { CopyButton } from '../../components/ui/copy-button.tsx'
import { ScrollRegion } from '../../components/ui/scroll-region.tsx'
import { Status } from '../../components/ui/status.tsx'
import { type AnswerPart, listAnswerParts, type WireAnswer } from './answer-parts.ts'
import * as styles from './tools.module.css'

/** What a tool answered: texts, pictures and sounds. */
export function ToolAnswer({ answer }: { readonly answer: WireAnswer }) {
  const { t } = useTranslation('models')
  const parts = listAnswerParts(answer)
  return (
    <section className="stack tight" aria-label={t('tools.answer')} aria-live="polite">
      <div className="row">
        {answer.isError === true ? (
          <Status tone="bad">{t('tools.failed')}</Status>
        ) : (
          <Status tone="ok">{t('tools.answered')}</Status>
        )}
      </div>
      {parts.length === 0 && <p className="meta">{t('tools.nothing')}</p>}
      {parts.map(({ id, part }) => (
        <Part key={id} part={part} />
      ))}
    </section>
  )
}

/** Characters of a text that are drawn; all of it can be copied. */
const SHOWN = 50_000

function Part({ part }: { readonly part: AnswerPart }) {
  const { t } = useTranslation('models')
  if (part.kind === 'picture') return <img className={styles.picture} src={part.url} alt={t('tools.picture')} />
  if (part.kind === 'sound') return <Sound part={part} />
  return (
    <div className={styles.text}>
      <CopyButton text={part.text} />
      <ScrollRegion as="pre">{part.text.slice(0, SHOWN)}</ScrollRegion>
    </div>
  )
}

function Sound({ part: { bytes, type } }: { readonly part: Extract<AnswerPart, { kind: 'sound' }> }) {
  const { t } = useTranslation('models')
  const url = useMemo(() => URL.createObjectURL(new Blob([bytes], { type })), [bytes, type])
  useEffect(() => () => URL.revokeObjectURL(url), [url])
  // biome-ignore lint/a11y/useMediaCaption: a tool gives no captions
  return <audio controls src={url} aria-label={t('tools.sound')} />
}
