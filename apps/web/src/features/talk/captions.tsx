import { useEffect, useRef } from 'react'
import { useTranslation } from 'react-i18next'
import { Button } from '../../components/ui/button.tsx'
import { Icon } from '../../components/ui/icon.tsx'
import { ScrollRegion } from '../../components/ui/scroll-region.tsx'
import { Badge, Status } from '../../components/ui/status.tsx'
import {
  type Caption,
  type ConsentEntry,
  type Entry,
  readCaption,
  type ToolEntry,
  type ToolListEntry,
} from '../../lib/realtime/entries.ts'
import type { Talk } from '../../lib/realtime/talk.ts'
import { FoldedText } from './folded-text.tsx'
import * as styles from './talk.module.css'

/** Pixels from the end within which the list follows new words. */
const NEAR = 80

/** What both sides say, as it comes. Screen readers hear finished captions from the announcer instead. */
export function Captions({ entries, talk }: { readonly entries: readonly Entry[]; readonly talk: Talk }) {
  const { t } = useTranslation('talk')
  const region = useRef<HTMLElement>(null)
  const isNear = useRef(true)
  useEffect(() => {
    if (isNear.current) region.current?.scrollTo({ top: region.current.scrollHeight })
  }, [entries])
  return (
    <ScrollRegion
      ref={region}
      className={styles.captions}
      role="log"
      aria-live="off"
      aria-label={t('captions')}
      onScroll={({ currentTarget: { scrollHeight, scrollTop, clientHeight } }) => {
        isNear.current = scrollHeight - scrollTop - clientHeight < NEAR
      }}
    >
      {entries.length === 0 ? (
        <p className="muted">{t('noCaptions')}</p>
      ) : (
        entries.map((entry) => <Line key={entry.id} entry={entry} talk={talk} />)
      )}
    </ScrollRegion>
  )
}

function Line({ entry, talk }: { readonly entry: Entry; readonly talk: Talk }) {
  switch (entry.kind) {
    case 'caption':
      return <CaptionLine caption={entry} />
    case 'tool':
      return <ToolLine tool={entry} />
    case 'tools':
      return <ToolListLine list={entry} />
    case 'consent':
      return <ConsentLine entry={entry} talk={talk} />
  }
}

function CaptionLine({ caption }: { readonly caption: Caption }) {
  const { t } = useTranslation('talk')
  const { role, state, speaker, sounds = [], fault = '', isSpoken } = caption
  const text = readCaption(caption)
  return (
    <div className={styles.caption} data-role={role} data-caption={state}>
      <p className="row wrap">
        <b>{speaker ?? t(`role.${role}`)}</b>
        {!isSpoken && <span className="meta">{t('typed')}</span>}
        {state === 'cut' && <Badge tone="warn">{t('cut')}</Badge>}
        {state === 'failed' && <Badge tone="bad">{t('failed')}</Badge>}
        {sounds.map((sound) => (
          <Badge key={sound}>{sound}</Badge>
        ))}
      </p>
      <p className={styles.words}>{text === '' ? <Silence caption={caption} /> : text}</p>
      {fault !== '' && <p className="meta">{fault}</p>}
    </div>
  )
}

function Silence({ caption: { state, isSpoken } }: { readonly caption: Caption }) {
  const { t } = useTranslation('talk')
  if (state === 'open') return <span className="faint">…</span>
  return <span className="faint">{isSpoken ? t('noWords') : t('noText')}</span>
}

const TONES = { running: 'run', asked: 'neutral', done: 'ok', failed: 'bad' } as const

function ToolLine({ tool: { name, server, arguments: sent, result, state } }: { readonly tool: ToolEntry }) {
  const { t } = useTranslation('talk')
  return (
    <div className={styles.tool}>
      <p className="row wrap">
        <Icon name="tool" small />
        <b className="monospace">{name}</b>
        {server !== undefined && <span className="meta">{t('tool.of', { server })}</span>}
        <Status tone={TONES[state]}>{t(`tool.${state}`)}</Status>
      </p>
      {state === 'asked' && <p className="meta">{t('tool.askedAbout')}</p>}
      {sent !== '' && <FoldedText label={t('tool.arguments')} text={sent} />}
      {result !== undefined && <FoldedText label={t('tool.result')} text={result} />}
    </div>
  )
}

function ToolListLine({ list: { server, names } }: { readonly list: ToolListEntry }) {
  const { t } = useTranslation('talk')
  return (
    <p className="meta">
      {t('tool.offered', { count: names.length, server })} <span className="monospace">{names.join(', ')}</span>
    </p>
  )
}

function ConsentLine({ entry, talk }: { readonly entry: ConsentEntry; readonly talk: Talk }) {
  const { t } = useTranslation('talk')
  const { id, name, server, arguments: sent, answer } = entry
  return (
    <div className={styles.tool}>
      <p className="row wrap">
        <Icon name="tool" small />
        <b className="monospace">{name}</b>
        <span className="meta">{t('tool.of', { server })}</span>
        {answer !== undefined && <Status>{answer ? t('consent.allowed') : t('consent.declined')}</Status>}
      </p>
      {sent !== '' && <FoldedText label={t('tool.arguments')} text={sent} />}
      {answer === undefined && (
        <p className="row wrap">
          {t('consent.ask')}
          <Button small kind="primary" onClick={() => talk.consent(id, true)}>
            {t('consent.allow')}
          </Button>
          <Button small onClick={() => talk.consent(id, false)}>
            {t('consent.decline')}
          </Button>
        </p>
      )}
    </div>
  )
}
