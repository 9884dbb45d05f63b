import { useTranslation } from 'react-i18next'
import { Button } from '../../components/ui/button.tsx'
import { ScrollRegion } from '../../components/ui/scroll-region.tsx'
import { ErrorBlock } from '../../components/ui/states.tsx'
import { useConnection } from '../../lib/connection.ts'
import type { Values } from './api.ts'
import type { Drafts } from './drafts.ts'
import type { Section } from './sections.ts'
import * as styles from './settings.module.css'

/** The one place to save: every change with its value before and after. */
export function SaveBar({
  drafts,
  values,
  sections,
  error,
  busy,
  onSave,
  onDiscard,
}: {
  readonly drafts: Drafts
  readonly values: Values
  readonly sections: readonly Section[]
  readonly error: unknown
  readonly busy: boolean
  readonly onSave: () => void
  readonly onDiscard: () => void
}) {
  const { t } = useTranslation('settings')
  const { state } = useConnection()
  const changes = Object.entries(drafts)
  if (changes.length === 0) return null
  const secrets = new Set(
    sections.flatMap(({ settings }) => settings.filter(({ secret }) => secret).map(({ key }) => key)),
  )
  const isFaulty = changes.some(([, { fault }]) => fault !== undefined)
  return (
    <section className={styles.saveBar} aria-label={t('bar.label')}>
      {error !== null && <ErrorBlock error={error} />}
      <ScrollRegion as="ul" className={styles.saveDiff} aria-label={t('bar.changes')}>
        {changes.map(([key, { value, text, fault }]) => (
          <li key={key}>
            <code>{key}</code>{' '}
            {secrets.has(key) ? (
              t('bar.secret')
            ) : (
              <>
                <del>{describe(values[key])}</del> <span aria-hidden="true">→</span>{' '}
                <ins>{fault !== undefined ? text : value === null ? t('bar.takenAway') : describe(value)}</ins>
              </>
            )}
          </li>
        ))}
      </ScrollRegion>
      <div className="row wrap">
        <span className="meta">
          {isFaulty ? t('bar.faulty') : t('bar.count', { count: changes.length })} {t('bar.live')}
        </span>
        <span className="push" />
        <Button onClick={onDiscard}>{t('bar.discard')}</Button>
        <Button kind="primary" busy={busy} disabled={isFaulty || state === 'offline'} onClick={onSave}>
          {t('save')}
        </Button>
      </div>
    </section>
  )
}

/** A value in one short line. */
function describe(value: unknown): string {
  const text = typeof value === 'string' ? `"${value}"` : JSON.stringify(value)
  return text.length > 160 ? `${text.slice(0, 160)}…` : text
}
