export const gateway = {
  title: 'Gateway'
}
