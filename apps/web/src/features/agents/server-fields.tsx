import { useTranslation } from 'react-i18next'
import { Button, IconButton } from '../../components/ui/button.tsx'
import { TextField } from '../../components/ui/field.tsx'
import * as styles from './agents.module.css'
import type { ToolServer } from './api.ts'

const MOST = 20

/** The servers of tools that an agent uses besides those of its model. */
export function ServerFields({
  servers,
  onChange,
}: {
  readonly servers: readonly ToolServer[]
  readonly onChange: (servers: readonly ToolServer[]) => void
}) {
  const { t } = useTranslation('agents')
  const change = (index: number, changes: Partial<ToolServer>) =>
    onChange(servers.map((server, place) => (place === index ? { ...server, ...changes } : server)))
  return (
    <fieldset className={styles.part}>
      <legend>{t('server.title')}</legend>
      <p className={`muted ${styles.wide}`}>{t('server.about')}</p>
      {servers.map(({ name, url, token }, index) => (
        <div key={index} className={`${styles.server} ${styles.wide}`}>
          <TextField
            label={t('server.name')}
            maxLength={100}
            autoComplete="off"
            value={name ?? ''}
            onChange={({ target }) => change(index, { name: target.value })}
          />
          <TextField
            label={t('server.url')}
            type="url"
            required
            pattern="https?://.+"
            autoComplete="off"
            value={url}
            onChange={({ target }) => change(index, { url: target.value })}
          />
          <TextField
            label={t('server.token')}
            type="password"
            autoComplete="off"
            maxLength={8192}
            value={token ?? ''}
            onChange={({ target }) => change(index, { token: target.value })}
          />
          <IconButton
            icon="trash"
            label={t('server.remove', { number: index + 1 })}
            onClick={() => onChange(servers.filter((_, place) => place !== index))}
          />
        </div>
      ))}
      <div className={styles.wide}>
        <Button
          small
          icon="plus"
          disabled={servers.length >= MOST}
          onClick={() => onChange([...servers, { name: '', url: '', token: '' }])}
        >
          {t('server.add')}
        </Button>
      </div>
    </fieldset>
  )
}
