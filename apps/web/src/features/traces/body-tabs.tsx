import { useId, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { Button } from '../../components/ui/button.tsx'
import { CopyButton } from '../../components/ui/copy-button.tsx'
import { JsonTree } from '../../components/ui/json-tree.tsx'
import { ScrollRegion } from '../../components/ui/scroll-region.tsx'
import { saveFile } from '../../lib/download.ts'
import { formatBytes } from '../../lib/format.ts'
import type { RequestTrace } from './api.ts'
import { readBody } from './bodies.ts'
import * as styles from './traces.module.css'

const SIDES = ['request', 'response'] as const

/** The sent and the received body. */
export function BodyTabs({ trace }: { readonly trace: RequestTrace }) {
  const { t } = useTranslation('traces')
  const id = useId()
  const [side, setSide] = useState<(typeof SIDES)[number]>('request')
  const other = side === 'request' ? 'response' : 'request'
  const onKeyDown = ({ key }: React.KeyboardEvent) => {
    if (key !== 'ArrowRight' && key !== 'ArrowLeft') return
    setSide(other)
    document.getElementById(`${id}-${other}`)?.focus()
  }
  return (
    <section>
      <div className={styles.tabs} role="tablist" aria-label={t('body.label')} onKeyDown={onKeyDown}>
        {SIDES.map((name) => (
          <button
            key={name}
            type="button"
            role="tab"
            id={`${id}-${name}`}
            aria-selected={name === side}
            aria-controls={`${id}-panel`}
            tabIndex={name === side ? 0 : -1}
            onClick={() => setSide(name)}
          >
            {t(`body.${name}`)}
          </button>
        ))}
      </div>
      <div role="tabpanel" id={`${id}-panel`} aria-labelledby={`${id}-${side}`}>
        <Body key={side} name={`trace-${trace.id}-${side}`} recorded={trace[side]} />
      </div>
    </section>
  )
}

function Body({ name, recorded }: { readonly name: string; readonly recorded: RequestTrace['request' | 'response'] }) {
  const { t } = useTranslation('traces')
  const body = readBody(recorded.body)
  if (body.kind === 'none') return <p className={`meta ${styles.bodyNone}`}>{t('body.none')}</p>
  const file = body.kind === 'json' ? `${name}.json` : body.kind === 'text' ? `${name}.txt` : `${name}.bin`
  const save = () => saveFile(file, body.kind === 'file' ? body.content : body.text, 'application/octet-stream')
  return (
    <>
      <div className={`row ${styles.bodyHead}`}>
        <span className="meta grow">
          {recorded.body_truncated === true && recorded.body_bytes !== undefined
            ? t('body.cut', { kept: formatBytes(body.bytes), size: formatBytes(recorded.body_bytes) })
            : formatBytes(body.bytes)}
        </span>
        {body.kind !== 'file' && <CopyButton text={body.text} />}
        <Button small kind="ghost" icon="activity" onClick={save}>
          {t('body.download')}
        </Button>
      </div>
      {body.kind === 'file' ? (
        <p className="meta">{t('body.tooLong')}</p>
      ) : (
        <ScrollRegion className={styles.json} aria-label={t('body.content')}>
          {body.kind === 'json' ? <JsonTree value={body.value} depth={3} /> : <pre>{body.text}</pre>}
        </ScrollRegion>
      )}
    </>
  )
}
