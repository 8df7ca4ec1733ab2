#!/usr/bin/env node
import "../dist/bin/assistant.js"
