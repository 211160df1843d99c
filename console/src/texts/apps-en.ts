export const apps = {
  title: 'Edge apps'
}
