import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { Button } from '../../components/ui/button.tsx'
import { EmptyState, QueryView } from '../../components/ui/states.tsx'
import { Badge, Status } from '../../components/ui/status.tsx'
import { type Tool, type ToolServer, toolServersQuery } from '../../lib/tools.ts'
import { ServerSignIn } from './server-sign-in.tsx'
import { ToolTrial } from './tool-trial.tsx'
import * as styles from './tools.module.css'

/** The servers of tools of a model. They are asked when the reader wants to see them, because that starts them. */
export function ToolsSection({ model }: { readonly model: string }) {
  const { t } = useTranslation('models')
  const [isOpen, setOpen] = useState(false)
  const query = useQuery({ ...toolServersQuery(model), enabled: isOpen })
  return (
    <section className="stack" aria-label={t('tools.title')}>
      <div className="row wrap">
        <h3>{t('tools.title')}</h3>
        {isOpen ? (
          <Button small icon="regenerate" busy={query.isFetching} onClick={() => void query.refetch()}>
            {t('tools.again')}
          </Button>
        ) : (
          <Button small onClick={() => setOpen(true)}>
            {t('tools.show')}
          </Button>
        )}
      </div>
      {isOpen && (
        <QueryView query={query} lines={4}>
          {(servers) =>
            servers.length === 0 ? (
              <EmptyState icon="tool" title={t('tools.none')} />
            ) : (
              servers.map((server) => <Server key={server.name} model={model} server={server} />)
            )
          }
        </QueryView>
      )}
    </section>
  )
}

/** A server: its state, and what it gives. */
function Server({ model, server }: { readonly model: string; readonly server: ToolServer }) {
  const { t } = useTranslation('models')
  const { name, type, tools, prompts = [], resources = [], error, oauth } = server
  return (
    <section className={styles.server} aria-label={name}>
      <header className="row wrap">
        <h4>{name}</h4>
        <Badge>{t(type === 'remote' ? 'tools.remote' : 'tools.program')}</Badge>
        {error === undefined ? (
          <Status tone="ok">{t('tools.works')}</Status>
        ) : (
          <Status tone="bad">{t('tools.fails')}</Status>
        )}
      </header>
      {error !== undefined && <p>{error}</p>}
      {oauth === true && <ServerSignIn model={model} server={name} isSignedIn={error === undefined} />}
      {tools.length > 0 && (
        <ul className={styles.tools}>
          {tools.map((tool) => (
            <ToolRow key={tool.tool} {...{ model, tool }} server={name} />
          ))}
        </ul>
      )}
      {error === undefined && tools.length === 0 && <p className="meta">{t('tools.noTools')}</p>}
      <Names title={t('tools.prompts')} names={prompts} />
      <Names title={t('tools.resources')} names={resources} />
    </section>
  )
}

function ToolRow({ model, server, tool }: { readonly model: string; readonly server: string; readonly tool: Tool }) {
  const { t } = useTranslation('models')
  const [isOpen, setOpen] = useState(false)
  const { annotations, approval, description } = tool
  return (
    <li>
      <div className="row wrap">
        <b className={`monospace ${styles.name}`}>{tool.tool}</b>
        {annotations.readOnlyHint === true && <Badge tone="ok">{t('tools.reads')}</Badge>}
        {annotations.readOnlyHint !== true && annotations.destructiveHint === true && (
          <Badge tone="warn">{t('tools.destroys')}</Badge>
        )}
        {approval === 'ask' && <Badge tone="info">{t('tools.asks')}</Badge>}
        <Button small className="push" aria-expanded={isOpen} onClick={() => setOpen(!isOpen)}>
          {t('tools.try')}
          <span className="visuallyHidden"> {tool.tool}</span>
        </Button>
      </div>
      {description !== undefined && <p className={`meta ${styles.about}`}>{shorten(description)}</p>}
      {isOpen && <ToolTrial {...{ model, server, tool }} />}
    </li>
  )
}

/** Characters of a description. */
const DESCRIPTION = 600

function shorten(text: string): string {
  return text.length > DESCRIPTION ? `${text.slice(0, DESCRIPTION)}…` : text
}

/** Most names of a list. */
const SHOWN = 100

function Names({ title, names }: { readonly title: string; readonly names: readonly string[] }) {
  const { t } = useTranslation('models')
  if (names.length === 0) return null
  return (
    <details>
      <summary>{title}</summary>
      <ul className={styles.names}>
        {names.slice(0, SHOWN).map((name) => (
          <li key={name} className="monospace">
            {name}
          </li>
        ))}
      </ul>
      {names.length > SHOWN && <p className="meta">{t('tools.more', { count: names.length - SHOWN })}</p>}
    </details>
  )
}
