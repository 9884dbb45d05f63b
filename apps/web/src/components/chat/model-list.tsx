import { Button, ListBox, ListBoxItem, Popover, Select, SelectValue } from 'react-aria-components'
import { useTranslation } from 'react-i18next'
import type { ChatModel } from '../../lib/chat/models.ts'
import { Icon } from '../ui/icon.tsx'
import * as menuStyles from '../ui/menu.module.css'
import * as popoverStyles from '../ui/popover.module.css'
import { Status } from '../ui/status.tsx'
import * as composerStyles from './composer.module.css'

/** The list of models that can chat; it says which are in memory. */
export function ModelList({
  models,
  model,
  onModel,
}: {
  readonly models: readonly ChatModel[]
  readonly model: string
  readonly onModel: (model: string) => void
}) {
  const { t } = useTranslation('chat')
  const chosen = models.find(({ id }) => id === model)
  // a model that was removed stays named, so that the reader sees why nothing can be sent
  const shown = chosen === undefined && model !== '' ? [...models, { id: model, isLoaded: undefined }] : models
  return (
    <Select
      aria-label={t('model.label')}
      className={`${composerStyles.picker}`}
      value={model === '' ? null : model}
      onChange={(id) => onModel(String(id))}
      placeholder={t('model.none')}
    >
      <Button className={`${composerStyles.pick} ${composerStyles.small} ${composerStyles.bare}`}>
        {chosen?.isLoaded === true && <span className={composerStyles.dot} aria-hidden="true" />}
        <SelectValue className="medium clip">{model === '' ? t('model.none') : model}</SelectValue>
        {chosen?.isLoaded === true && <span className="visuallyHidden">{t('model.loaded')}</span>}
        <Icon name="chevron-down" small />
      </Button>
      <Popover className={`${popoverStyles.popover}`} placement="bottom start">
        <ListBox
          className={`${menuStyles.menu} ${composerStyles.models}`}
          items={shown.map(({ id, isLoaded }) => ({ id, isLoaded }))}
        >
          {({ id, isLoaded }) => (
            <ListBoxItem id={id} textValue={id}>
              <span className="grow">{id}</span>
              {isLoaded === true && <Status tone="ok">{t('model.loaded')}</Status>}
            </ListBoxItem>
          )}
        </ListBox>
      </Popover>
    </Select>
  )
}
