// @bun
