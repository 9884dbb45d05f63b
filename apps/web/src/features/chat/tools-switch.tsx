import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { Button as AriaButton, Dialog as AriaDialog, DialogTrigger, Heading, Popover } from 'react-aria-components'
import { useTranslation } from 'react-i18next'
import * as chipStyles from '../../components/ui/chip.module.css'
import { Switch } from '../../components/ui/field.tsx'
import { Icon } from '../../components/ui/icon.tsx'
import * as popoverStyles from '../../components/ui/popover.module.css'
import { QueryView } from '../../components/ui/states.tsx'
import { Status } from '../../components/ui/status.tsx'
import type { ChatSettings } from '../../lib/chat/types.ts'
import { type ToolServer, toolServersQuery } from '../../lib/tools.ts'
import * as styles from './chat.module.css'

interface SwitchProps {
  readonly model: string
  readonly settings: ChatSettings
  readonly onChange: (settings: ChatSettings) => void
}

/** Chooses the servers whose tools the model may use in a chat. The servers are asked when it opens. */
export function ToolsSwitch(props: SwitchProps) {
  const { t } = useTranslation('chat')
  const [isOpen, setOpen] = useState(false)
  const count = props.settings.toolServers?.length ?? 0
  return (
    <DialogTrigger isOpen={isOpen} onOpenChange={setOpen}>
      <AriaButton className={`${chipStyles.chip}`} aria-pressed={count > 0}>
        <Icon name="tool" small />
        {count > 0 ? t('servers.on', { count }) : t('tools.switch')}
      </AriaButton>
      <Popover className={`${popoverStyles.popover} ${styles.servers}`} placement="top start">
        <AriaDialog>
          <Heading slot="title" level={2}>
            {t('servers.title')}
          </Heading>
          <Servers {...props} />
        </AriaDialog>
      </Popover>
    </DialogTrigger>
  )
}

function Servers({ model, settings, onChange }: SwitchProps) {
  const { t } = useTranslation('chat')
  const query = useQuery(toolServersQuery(model))
  const chosen = settings.toolServers ?? []
  const choose = (name: string, isOn: boolean) => {
    const others = chosen.filter((one) => one !== name)
    onChange({ ...settings, toolServers: isOn ? [...others, name] : others })
  }
  return (
    <QueryView query={query} lines={2}>
      {(servers) => (
        <>
          <ul>
            {servers.map((server) => (
              <li key={server.name}>
                <Switch
                  label={server.name}
                  checked={chosen.includes(server.name)}
                  // the request names servers between commas
                  disabled={server.name.includes(',')}
                  onChange={({ target }) => choose(server.name, target.checked)}
                />
                <ServerLine server={server} />
              </li>
            ))}
          </ul>
          {servers.length === 0 && <p className="meta">{t('servers.none')}</p>}
        </>
      )}
    </QueryView>
  )
}

/** What a server gives, or why it gives nothing. */
function ServerLine({ server: { tools, error } }: { readonly server: ToolServer }) {
  const { t } = useTranslation('chat')
  if (error !== undefined)
    return (
      <p className="meta">
        <Status tone="bad">{t('tools.failed')}</Status> {error}
      </p>
    )
  const asked = tools.filter(({ approval }) => approval === 'ask').length
  return (
    <p className="meta">
      {t('servers.tools', { count: tools.length })}
      {asked > 0 && `, ${t('servers.asked', { count: asked })}`}
    </p>
  )
}
