import { useEffect, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { Composer } from '../../components/chat/composer.tsx'
import { IconButton } from '../../components/ui/button.tsx'
import { Badge } from '../../components/ui/status.tsx'
import { findDefaultModel, keepLastModel, useChatModels } from '../../lib/chat/models.ts'
import type { Chat } from '../../lib/chat/types.ts'
import { useChatStore, useRunningChats } from '../../lib/chat/use-chats.ts'
import * as styles from './chat.module.css'
import { ChatHead } from './chat-head.tsx'
import { Dictation } from './dictation.tsx'
import { SettingsDrawer } from './settings-drawer.tsx'
import { Switches } from './switches.tsx'
import { Thread } from './thread.tsx'

/** A chat: its messages, the composer and its settings. */
export function Conversation({ chat }: { readonly chat: Chat }) {
  const { t } = useTranslation('chat')
  const { entry } = chat
  const { id, settings } = entry
  const store = useChatStore()
  const isRunning = useRunningChats().has(id)
  const { models } = useChatModels()
  const [isDrawerOpen, setDrawerOpen] = useState(false)
  // a chat of a text that outlived a sign-in has no model yet
  const model = entry.model !== '' || models === undefined ? entry.model : findDefaultModel(models)
  useEffect(() => {
    if (model !== entry.model) store.change(id, { model })
  }, [store, id, model, entry.model])
  useEscape(() => isRunning && store.stop(id))
  return (
    <section className={styles.conversation} aria-label={t('conversation')}>
      <ChatHead entry={entry}>
        <IconButton
          small
          icon="settings"
          label={t('settings.title')}
          aria-expanded={isDrawerOpen}
          onClick={() => setDrawerOpen(!isDrawerOpen)}
        />
      </ChatHead>
      <div className={styles.body}>
        <div className={styles.threadPane}>
          <Thread chat={chat} isRunning={isRunning} />
          <div className={styles.dock}>
            <Composer
              draftKey={id}
              models={models}
              model={model}
              onModel={(chosen) => {
                keepLastModel(chosen)
                // the servers of tools are those of the model
                store.change(id, { model: chosen, settings: { ...settings, toolServers: [] } })
              }}
              placeholder={t('composer.placeholder')}
              tools={<Dictation draftKey={id} />}
              isRunning={isRunning}
              onSend={(text, attachments, editedId) => store.send(id, text, attachments, editedId)}
              onStop={() => store.stop(id)}
            >
              {settings.isAssistant === true && <Badge tone="acc">{t('assistant.title')}</Badge>}
              <Switches
                models={models}
                model={model}
                settings={settings}
                onChange={(changed) => store.change(id, { settings: changed })}
              />
            </Composer>
            <p className={`meta ${styles.dockFoot}`}>{t('mayBeWrong')}</p>
          </div>
        </div>
        <SettingsDrawer
          isOpen={isDrawerOpen}
          settings={settings}
          onChange={(changed) => store.change(id, { settings: changed })}
          onClose={() => setDrawerOpen(false)}
        />
      </div>
    </section>
  )
}

/** Esc stops the answer, unless it closes something on top of the page. */
function useEscape(onEscape: () => void): void {
  useEffect(() => {
    const onKey = (event: KeyboardEvent) => {
      const isTaken =
        event.defaultPrevented ||
        event.isComposing ||
        document.querySelector('[role="dialog"], [role="menu"], [role="listbox"]') !== null
      if (event.key === 'Escape' && !isTaken) onEscape()
    }
    addEventListener('keydown', onKey)
    return () => removeEventListener('keydown', onKey)
  }, [onEscape])
}
