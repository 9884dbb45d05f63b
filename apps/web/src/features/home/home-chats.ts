export { HomeComposer } from './home-composer.tsx'
export { RecentChats } from './recent-chats.tsx'
