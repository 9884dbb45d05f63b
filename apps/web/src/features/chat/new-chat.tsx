import { useNavigate } from '@tanstack/react-router'
import { useEffect, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { Composer } from '../../components/chat/composer.tsx'
import { IconButton } from '../../components/ui/button.tsx'
import { EmptyState, ErrorBlock } from '../../components/ui/states.tsx'
import { findDefaultModel, keepLastModel, useChatModels } from '../../lib/chat/models.ts'
import { DEFAULT_SETTINGS } from '../../lib/chat/types.ts'
import { useChatStore } from '../../lib/chat/use-chats.ts'
import { useSession } from '../../lib/session.ts'
import * as styles from './chat.module.css'
import { Dictation } from './dictation.tsx'
import { SettingsDrawer } from './settings-drawer.tsx'
import { Switches } from './switches.tsx'
import { useChatSearch } from './use-chat-search.ts'

/** A chat that has no message yet. @param model the model that an address names */
export function NewChat({ model: named }: { readonly model?: string }) {
  const { t } = useTranslation('chat')
  const navigate = useNavigate()
  const store = useChatStore()
  const { viewer } = useSession()
  const { models, error } = useChatModels()
  const [chosen, setChosen] = useState(named)
  const [settings, setSettings] = useState(DEFAULT_SETTINGS)
  const [isDrawerOpen, setDrawerOpen] = useState(false)
  const [, changeSearch] = useChatSearch()
  const model = chosen ?? (models === undefined ? '' : findDefaultModel(models))
  useEffect(() => document.querySelector<HTMLElement>('[data-composer]')?.focus(), [])
  const chooseModel = (id: string) => {
    keepLastModel(id)
    setChosen(id)
    // the servers of tools are those of the model
    setSettings({ ...settings, toolServers: [] })
  }
  return (
    <section className={styles.conversation} aria-label={t('conversation')}>
      <header className={styles.head}>
        <IconButton
          className={styles.listOnly}
          icon="chevron-left"
          label={t('list.all')}
          onClick={() => changeSearch({ list: true })}
        />
        <h2 className="clip">{t('newChat')}</h2>
        <div className="row push">
          <IconButton
            small
            icon="settings"
            label={t('settings.title')}
            aria-expanded={isDrawerOpen}
            onClick={() => setDrawerOpen(!isDrawerOpen)}
          />
        </div>
      </header>
      <div className={styles.body}>
        <div className={styles.threadPane}>
          <div className={`${styles.thread} ${styles.isEmpty}`}>
            {models === undefined && error !== null && <ErrorBlock error={error} />}
            {models?.length === 0 && (
              <EmptyState
                icon="cube"
                title={t('noModel.title')}
                action={viewer.isAdmin && <a href="app/models?view=explore">{t('noModel.action')}</a>}
              >
                {viewer.isAdmin ? t('noModel.admin') : t('noModel.user')}
              </EmptyState>
            )}
            {models !== undefined && models.length > 0 && <p className={styles.greeting}>{t('ask')}</p>}
          </div>
          <div className={styles.dock}>
            <Composer
              draftKey="new"
              models={models}
              model={model}
              onModel={chooseModel}
              placeholder={t('composer.placeholder')}
              tools={<Dictation draftKey="new" />}
              rows={2}
              onSend={(text, attachments) => {
                const { id } = store.createChat(model, settings)
                store.send(id, text, attachments)
                void navigate({ to: '/app/chat/$id', params: { id }, replace: named !== undefined })
              }}
            >
              <Switches models={models} model={model} settings={settings} onChange={setSettings} />
            </Composer>
            <p className={`meta ${styles.dockFoot}`}>{t('mayBeWrong')}</p>
          </div>
        </div>
        <SettingsDrawer
          isOpen={isDrawerOpen}
          settings={settings}
          onChange={setSettings}
          onClose={() => setDrawerOpen(false)}
        />
      </div>
    </section>
  )
}
