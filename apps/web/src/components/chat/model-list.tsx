import { Button, ListBox, ListBoxItem, Popover, Select, SelectValue } from 'react-aria-components'
import { useTranslation } from 'react-i18next'
import type { ChatModel } from '../../lib/chat/models.ts'
import { Icon } from '../ui/icon.tsx'
import { Status } from '../ui/status.tsx'

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
      className="picker"
      value={model === '' ? null : model}
      onChange={(id) => onModel(String(id))}
      placeholder={t('model.none')}
    >
      <Button className="pick sm bare">
        {chosen?.isLoaded === true && <span className="dot" aria-hidden="true" />}
        <SelectValue className="med clip">{model === '' ? t('model.none') : model}</SelectValue>
        {chosen?.isLoaded === true && <span className="vh">{t('model.loaded')}</span>}
        <Icon name="chevron-down" small />
      </Button>
      <Popover className="pop" placement="top start">
        <ListBox className="menu models" items={shown.map(({ id, isLoaded }) => ({ id, isLoaded }))}>
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
